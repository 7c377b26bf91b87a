import { isObject } from '../api/decode.ts';
import type { Template } from '../api/resources.ts';

/** The parts of a template, or of one of its cards, read from the provider's own components. */
export interface TemplateShape {
  header: { format: string; text: string } | null;
  body: string;
  footer: string;
  buttons: ButtonShape[];
  /** null if there is no limited-time offer. */
  offer: { text: string; expires: boolean } | null;
  cards: TemplateShape[];
  /** The kinds of components that are not known here, in lower case. */
  others: string[];
}

const KNOWN = ['header', 'body', 'footer', 'buttons', 'limited_time_offer', 'carousel'];

export interface ButtonShape {
  /** In lower case: `url`, `quick_reply`, `copy_code`, `phone_number`, ... */
  kind: string;
  text: string;
  /** The address of a link. It may contain a variable. */
  url: string;
}

/** Of kinds that are not known only the name is there, because it is not known how the provider shows them. */
export function shapeOf({ components }: Pick<Template, 'components'>): TemplateShape {
  return readShape(components);
}

function readShape(components: readonly unknown[]): TemplateShape {
  const all = components.filter(isObject);
  const find = (kind: string) => all.find(({ type }) => wordOf(type) === kind);
  const header = find('header');
  const offer = find('limited_time_offer')?.limited_time_offer;
  return {
    header: header === undefined ? null : { format: wordOf(header.format) || 'text', text: textOf(header.text) },
    body: textOf(find('body')?.text),
    footer: textOf(find('footer')?.text),
    buttons: listOf(find('buttons')?.buttons).map(readButton),
    offer: isObject(offer) ? { text: textOf(offer.text), expires: offer.has_expiration === true } : null,
    cards: listOf(find('carousel')?.cards).map(({ components: parts }) => readShape(listOf(parts))),
    others: all.map(({ type }) => wordOf(type) || 'one without a name').filter((kind) => !KNOWN.includes(kind)),
  };
}

function readButton({ type, text, url }: Record<string, unknown>): ButtonShape {
  return { kind: wordOf(type), text: textOf(text), url: textOf(url) };
}

/** The formats of headers that are filled with a link. */
export const MEDIA = ['image', 'video', 'document'];

/** The names, or numbers, of the variables in a text: each once, and in order. */
export function variablesOf(text: string): string[] {
  return [...new Set([...text.matchAll(/\{\{\s*([^{}\s]+)\s*\}\}/g)].map(([, name = '']) => name))];
}

/** The same, in the order in which the parameters of a message fill them: the first one fills {{1}}, wherever that is in the text. */
export function variablesToFill(text: string, isNamed: boolean): string[] {
  const found = variablesOf(text);
  return isNamed ? found : found.toSorted((one, other) => Number(one) - Number(other));
}

/** Whether a button is sent with a text: the end of its link, or the code of one to copy, which is listed as such or as a link. */
export function takesText({ kind, url }: ButtonShape): boolean {
  return kind === 'otp' || (kind === 'url' && variablesOf(url).length > 0);
}

export function wordOf(value: unknown): string {
  return typeof value === 'string' ? value.toLowerCase() : '';
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
