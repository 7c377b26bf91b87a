import type { Fault } from '../../kernel/errors.ts';
import { isRecord } from '../../kernel/is-record.ts';
import type { MessageContent } from '../../provider/port.ts';
import { CONTENT_TYPES, type ContentType, contentTypeOf } from '../message.ts';
import { type ParseContext, readText, refuseUnknownMembers } from './parse-values.ts';
import { SEND_LIMITS } from './send-limits.ts';

type Read = (value: Record<string, unknown>, context: ParseContext) => MessageContent | undefined;
/** How the content of each type is read. */
const READ: Readonly<Record<MessageContent['type'], Read>> = { text: readTextContent, template: readTemplate };

/** Reads `type` and the member that it names. What is wrong is added to the faults; undefined: it cannot be read at all. */
export function parseContent(body: Record<string, unknown>, context: ParseContext): MessageContent | undefined {
  const { faults } = context;
  const type = contentTypeOf(body.type);
  if (type === undefined) {
    const words = CONTENT_TYPES.map((known) => `"${known}"`).join(' or ');
    faults.push({
      pointer: '#/type',
      detail: body.type === undefined ? 'This member is missing.' : `This must be ${words}.`,
    });
    // What is meant is not known, and what is wrong with it is wrong all the same.
    for (const given of CONTENT_TYPES) if (body[given] !== undefined) readNamed(body, given, context);
    return undefined;
  }
  for (const other of CONTENT_TYPES)
    if (other !== type && body[other] !== undefined)
      faults.push({ pointer: `#/${other}`, detail: `This must not be there when "type" is "${type}".` });
  return readNamed(body, type, context);
}

function readNamed(
  body: Record<string, unknown>,
  type: ContentType,
  context: ParseContext,
): MessageContent | undefined {
  const value = body[type];
  if (!isRecord(value)) {
    context.faults.push({
      pointer: `#/${type}`,
      detail: value === undefined ? 'This member is missing.' : 'This must be an object.',
    });
    return undefined;
  }
  return READ[type](value, context);
}

function readTextContent(value: Record<string, unknown>, { faults }: ParseContext): MessageContent | undefined {
  refuseUnknownMembers(value, ['body', 'preview_url'], '#/text', faults);
  const body = readText(value.body, SEND_LIMITS.bodyCharacters, '#/text/body', faults);
  const { preview_url: previewUrl = false } = value;
  if (typeof previewUrl !== 'boolean') {
    faults.push({ pointer: '#/text/preview_url', detail: 'This must be true or false.' });
    return undefined;
  }
  return body === undefined ? undefined : { type: 'text', text: { body, preview_url: previewUrl } };
}

function readTemplate(
  value: Record<string, unknown>,
  { faults, checkComponents }: ParseContext,
): MessageContent | undefined {
  refuseUnknownMembers(value, ['name', 'language', 'components'], '#/template', faults);
  const name = readText(value.name, SEND_LIMITS.templateNameCharacters, '#/template/name', faults);
  const language = readLanguage(value.language, faults);
  const components = value.components;
  const checked = components === undefined ? undefined : checkComponents(components, '#/template/components');
  if (checked !== undefined && 'faults' in checked) {
    faults.push(...checked.faults);
    return undefined;
  }
  if (name === undefined || language === undefined) return undefined;
  return { type: 'template', template: { name, language, ...checked } };
}

function readLanguage(language: unknown, faults: Fault[]): string | undefined {
  if (!isRecord(language)) return readText(language, SEND_LIMITS.languageCharacters, '#/template/language', faults);
  refuseUnknownMembers(language, ['code'], '#/template/language', faults);
  return readText(language.code, SEND_LIMITS.languageCharacters, '#/template/language/code', faults);
}
