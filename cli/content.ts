import type { SendBody } from '../client/src/index.ts';
import { type Options, textOf, textsOf } from './command-spec.ts';
import { usage } from './failure.ts';
import { messageOf } from './message-of.ts';
import { parseKeepingDigits } from './parse-json.ts';

/** A part of a template with its values, in the provider's shape. */
export interface Component {
  type: string;
  [member: string]: unknown;
}

export type Content =
  | { type: 'text'; text: { body: string; preview_url?: boolean } }
  | { type: 'template'; template: { name: string; language: string; components?: Component[] } };

/** One value for a template's body, either for the place where it stands or for a name. */
export interface Param {
  name: string | undefined;
  value: string;
}

export interface Recipient {
  to: string;
  client_reference?: string;
  components?: Component[];
}

/** What is sent, from the options. The values of a template's body are returned apart, because in a file they name columns. */
export function readContent(options: Options): { content: Content; params: Param[] } {
  const [text, name] = [textOf(options, 'text'), textOf(options, 'template')];
  if ((text === undefined) === (name === undefined)) throw usage('Give either --text or --template.');
  if (text !== undefined) {
    if (textsOf(options, 'param').length + textsOf(options, 'componentJson').length > 0)
      throw usage('--param and --component-json belong to a --template.');
    if (textOf(options, 'language') !== undefined) throw usage('--language belongs to a --template.');
    return { content: { type: 'text', text: { body: text, ...previewOf(options) } }, params: [] };
  }
  const language = textOf(options, 'language');
  if (language === undefined) throw usage('A --template needs its --language, such as en_US.');
  if (options.previewUrl === true) throw usage('--preview-url belongs to a --text.');
  const components = textsOf(options, 'componentJson').flatMap(parseComponents);
  const template = { name: name ?? '', language, ...(components.length > 0 && { components }) };
  return { content: { type: 'template', template }, params: textsOf(options, 'param').map(parseParam) };
}

/** The body component with these values; empty if there are none. */
export function bodyOf(params: readonly Param[]): Component[] {
  if (params.length === 0) return [];
  const parameters = params.map(({ name, value }) => ({
    type: 'text',
    ...(name !== undefined && { parameter_name: name }),
    text: value,
  }));
  return [{ type: 'body', parameters }];
}

/** The body of a send; the same parts always give the same bytes. */
export function composeSend(content: Content, to: readonly Recipient[], options: Options): SendBody {
  const from = textOf(options, 'from');
  const reference = textOf(options, 'clientReference');
  const common = {
    ...(from !== undefined && { from }),
    ...(reference !== undefined && { client_reference: reference }),
  };
  // A text has no components, nor has the type of its recipients.
  if (content.type === 'text')
    return { to: to.map(({ components, ...recipient }) => recipient), ...content, ...common };
  return { to: [...to], ...content, ...common };
}

function previewOf(options: Options): { preview_url?: true } {
  return options.previewUrl === true ? { preview_url: true } : {};
}

/** `NAME=VALUE` is a parameter with a name; any other text stands in its place. */
function parseParam(text: string): Param {
  const [, name, value] = /^([a-z_][a-z0-9_]*)=([\s\S]*)$/.exec(text) ?? [];
  return name === undefined || value === undefined ? { name: undefined, value: text } : { name, value };
}

function parseComponents(text: string): Component[] {
  let value: unknown;
  try {
    value = parseKeepingDigits(text);
  } catch (error) {
    throw usage(`--component-json is not JSON: ${messageOf(error)}`);
  }
  return (Array.isArray(value) ? value : [value]).map((component: unknown) => {
    const { type, ...members }: Record<string, unknown> = Object(component);
    if (typeof type !== 'string') throw usage('--component-json must have a "type", such as {"type": "body", ...}.');
    return { type, ...members };
  });
}
