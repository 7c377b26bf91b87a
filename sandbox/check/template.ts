import { parameterError, refusal } from '../graph-error.ts';
import { isObject, isText } from '../read-json.ts';
import type { Template } from '../template.ts';
import { checkComponents } from './components.ts';

/** Finds a template of the sender by name and language. */
export type FindTemplate = (name: string, language: string) => Template | undefined;

/** Checks a template message against the sender's templates, and throws the provider's refusal. Returns the category. */
export function checkTemplate(sent: unknown, findTemplate: FindTemplate): string {
  if (!isObject(sent)) throw refusal(131008, "Parameter 'template' is missing.");
  const { name, language, components = [] } = sent;
  if (!isText(name)) throw refusal(131008, "Parameter 'name' of 'template' is missing.");
  if (!isObject(language) || !isText(language.code)) {
    throw refusal(131008, "Parameter 'code' of 'language' of 'template' is missing.");
  }
  if (!Array.isArray(components)) throw parameterError("Param template['components'] must be an array.");
  const template = findTemplate(name, language.code);
  if (template === undefined) {
    throw refusal(132001, `template name (${name}) does not exist in ${language.code}`);
  }
  checkStatus(template);
  checkComponents(components, { components: template.components, isNamed: template.parameter_format === 'NAMED' });
  return template.category.toLowerCase();
}

function checkStatus({ status, name, language }: Template): void {
  switch (status) {
    case 'APPROVED':
      return;
    case 'PAUSED':
      throw refusal(132015);
    case 'DISABLED':
      throw refusal(132016);
    default:
      throw refusal(132001, `template name (${name}) is not approved in ${language}`);
  }
}
