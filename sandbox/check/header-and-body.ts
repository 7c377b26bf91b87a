import { refusal } from '../graph-error.ts';
import type { JsonObject } from '../read-json.ts';
import type { TemplateComponent } from '../template.ts';
import { checkMedia, hydratedLength, type Parameter, readParameters, variablesIn } from './parameters.ts';

const HEADER_LENGTH_MAX = 60;
/** A body that is the only component of its template may be longer. */
const BODY_LENGTH_MAX = 1024;
const BODY_ALONE_LENGTH_MAX = 32_768;

/** Not allowed in values, though a template's own text may hold them. The reference does not say so; the provider's answers do. */
const BREAKS = /[\n\r\t]| {5}/;

const HEADER_TEXT_TYPES = ['text', 'currency', 'date_time'];
const MEDIA_FORMATS = ['IMAGE', 'VIDEO', 'DOCUMENT'];

/** Checks the header of a message against the template's: its variables, or its one picture, film, file or place. */
export function checkHeader(
  sent: JsonObject | undefined,
  defined: TemplateComponent | undefined,
  isNamed: boolean,
): void {
  const format = defined?.format ?? 'TEXT';
  const parameters = readParameters('header', sent);
  if (format === 'TEXT') {
    checkVariables('header', parameters, defined?.text ?? '', isNamed);
    checkLength('header', parameters, defined?.text ?? '', HEADER_LENGTH_MAX);
    return;
  }
  const [parameter] = parameters;
  const received = parameter?.type.toUpperCase() ?? 'UNKNOWN';
  if (parameters.length > 1 || received !== format) {
    throw refusal(132012, `header: Format mismatch, expected ${format}, received ${received}`);
  }
  if (parameter !== undefined && MEDIA_FORMATS.includes(format)) checkMedia('header', parameter);
}

/** Checks the body of a message against the template's. */
export function checkBody(
  sent: JsonObject | undefined,
  defined: TemplateComponent | undefined,
  { isNamed, isAlone }: { isNamed: boolean; isAlone: boolean },
): void {
  const text = defined?.text ?? '';
  const parameters = readParameters('body', sent);
  checkVariables('body', parameters, text, isNamed);
  checkLength('body', parameters, text, isAlone ? BODY_ALONE_LENGTH_MAX : BODY_LENGTH_MAX);
}

function checkVariables(where: string, parameters: Parameter[], text: string, isNamed: boolean): void {
  const variables = variablesIn(text);
  if (parameters.length !== variables.length) {
    const counts = `number of localizable_params (${parameters.length}) does not match the expected number of params (${variables.length})`;
    throw refusal(132000, `${where}: ${counts}`);
  }
  for (const { type, name, text: value } of parameters) {
    if (BREAKS.test(value)) {
      const rule = 'Param text cannot have new-line/tab characters or more than 4 consecutive spaces';
      throw refusal(132018, `${where}: ${rule}`);
    }
    if (!HEADER_TEXT_TYPES.includes(type)) {
      throw refusal(132012, `${where}: Format mismatch, expected TEXT, received ${type.toUpperCase()}`);
    }
    if (!isNamed) continue;
    if (name === undefined) throw refusal(100, 'Parameter name is missing or empty');
    if (!variables.includes(name)) throw refusal(132012, `${where}: the template has no parameter of that name`);
  }
  if (isNamed && new Set(parameters.map(({ name }) => name)).size !== variables.length) {
    throw refusal(132012, `${where}: a parameter is given twice`);
  }
}

function checkLength(where: string, parameters: Parameter[], text: string, lengthMax: number): void {
  const length = hydratedLength(text, parameters);
  if (length > lengthMax)
    throw refusal(132005, `${where}: the text has ${length} characters, at most ${lengthMax} are allowed`);
}
