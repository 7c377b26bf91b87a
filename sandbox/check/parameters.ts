import { refusal } from '../graph-error.ts';
import { isObject, isText, type JsonObject, lengthOf, plainText } from '../read-json.ts';

/** One value for one variable of a template. */
export interface Parameter {
  type: string;
  name: string | undefined;
  /** What stands in the message in the variable's place. Empty for media. */
  text: string;
  /** The member that is named after the type. */
  value: unknown;
}

const VARIABLE = /\{\{\s*([^{}\s]+)\s*\}\}/g;
const WEB_ADDRESS = /^https?:\/\/[^\s]+$/i;

/** Reads the parameters of a component; none where it was not sent. */
export function readParameters(where: string, component: JsonObject | undefined): Parameter[] {
  const { parameters = [] } = component ?? {};
  if (!Array.isArray(parameters)) throw refusal(100, `${where}: parameters must be an array`);
  return parameters.map((parameter: unknown) => readParameter(where, parameter));
}

/** The names, or numbers, of the variables of a text, each once. */
export function variablesIn(text: string): string[] {
  return [...new Set([...text.matchAll(VARIABLE)].map(([, name]) => name ?? ''))];
}

/** The length of a text once its variables are filled in. */
export function hydratedLength(text: string, parameters: Parameter[]): number {
  return lengthOf(text.replace(VARIABLE, '')) + parameters.reduce((sum, { text: value }) => sum + lengthOf(value), 0);
}

/** Checks that a picture, film or file is given by exactly a link or an id. */
export function checkMedia(where: string, { type, value }: Parameter): void {
  const { link, id } = isObject(value) ? value : {};
  if (link === undefined && id === undefined) throw refusal(131008, `${where}: ${type} needs a link or an id`);
  if (link !== undefined && !(isText(link) && WEB_ADDRESS.test(link))) {
    throw refusal(131009, `${where}: the link of the ${type} is not a web address`);
  }
  if (id !== undefined && !isText(plainText(id))) throw refusal(131009, `${where}: the id of the ${type} is empty`);
}

function readParameter(where: string, parameter: unknown): Parameter {
  if (!isObject(parameter)) throw refusal(100, `${where}: a parameter must be a JSON object`);
  const { type = 'text', parameter_name: name } = parameter;
  if (!isText(type)) throw refusal(100, `${where}: the type of a parameter must be a text`);
  if (name !== undefined && !isText(name)) throw refusal(100, 'Parameter name is missing or empty');
  const kind = type.toLowerCase();
  const value = parameter[kind];
  return { type: kind, name, value, text: textOf(where, kind, value) };
}

/** What the provider shows for a value. For currencies and dates that is always the fallback. */
function textOf(where: string, type: string, value: unknown): string {
  if (type === 'text') {
    if (!isText(value)) throw refusal(131008, `${where}: Parameter of type text is missing text value`);
    return value;
  }
  if (type === 'currency' || type === 'date_time') {
    const fallback = isObject(value) ? value.fallback_value : undefined;
    if (!isText(fallback)) throw refusal(131008, `${where}: Parameter of type ${type} is missing fallback_value`);
    return fallback;
  }
  return '';
}
