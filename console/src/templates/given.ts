import { isObject } from '../api/decode.ts';
import type { Template } from '../api/resources.ts';
import type { Values } from './compose.ts';
import { fieldsOf } from './fields.ts';
import {
  type ButtonShape,
  listOf,
  MEDIA,
  shapeOf,
  type TemplateShape,
  takesText,
  textOf,
  variablesToFill,
  wordOf,
} from './shape.ts';

/** Something with which a template was sent, for a reader who does not have the template. */
export interface Given {
  label: string;
  text: string;
}

/** What a message gave to its template, in the order in which it stands there. */
export function listGiven(components: unknown): Given[] {
  return readParts(components).flatMap((part) =>
    part.parameters.map((parameter, place) => ({ label: labelOf(part, parameter, place), text: parameter.text })),
  );
}

/**
 * What a message gave to its template, under the keys of the template's fields; undefined if they do not fit: the template needs more, or
 * has no place for something. It may have changed since.
 */
export function valuesFor(template: Template, components: unknown): Values | undefined {
  const shape = shapeOf(template);
  const keys = readParts(components).flatMap((part) => keysOf(part, shape, template.parameter_format === 'named'));
  const values = new Map(keys.flatMap(({ key, text }) => (key === undefined ? [] : [[key, text] as const])));
  // What comes back from a reply need not be given.
  const needed = fieldsOf(shape).filter(({ kind }) => kind !== 'payload');
  const fits = values.size === keys.length && needed.every(({ key }) => values.has(key));
  return fits ? Object.fromEntries(values) : undefined;
}

/** A component of a message. */
interface Part {
  /** In lower case: `header`, `body`, `button`, ... */
  kind: string;
  /** The place of the card on which it stands; null if it stands on none. */
  card: number | null;
  /** Which button it is, and of which kind. */
  index: number;
  subType: string;
  parameters: Parameter[];
}

interface Parameter {
  kind: string;
  name: string;
  text: string;
}

/** A carousel is replaced by the components of its cards. */
function readParts(components: unknown, card: number | null = null): Part[] {
  return listOf(components).flatMap((component) => {
    const kind = wordOf(component.type);
    if (kind === 'carousel')
      return listOf(component.cards).flatMap((one) => readParts(one.components, Number(one.card_index)));
    const parameters = Array.isArray(component.parameters)
      ? listOf(component.parameters).map(readParameter)
      : readUnknown(kind, component);
    return [{ kind, card, index: Number(component.index), subType: wordOf(component.sub_type), parameters }];
  });
}

const KINDS = ['header', 'body', 'button', 'limited_time_offer'];

/** Those that are known have nothing to tell without parameters. Any other is told as it is. */
function readUnknown(kind: string, component: Record<string, unknown>): Parameter[] {
  return KINDS.includes(kind) ? [] : [{ kind: '', name: '', text: JSON.stringify(component) }];
}

function readParameter(parameter: Record<string, unknown>): Parameter {
  const kind = wordOf(parameter.type);
  return { kind, name: textOf(parameter.parameter_name), text: textIn(parameter[kind]) };
}

/** What a person would read of a parameter. Of kinds that are not known nobody knows that, so they are told as they are. */
function textIn(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!isObject(content)) return JSON.stringify(content) ?? '';
  // The provider computes nothing from the other members of an amount or a date: it shows this text.
  if (typeof content.fallback_value === 'string') return content.fallback_value;
  if ('expiration_time_ms' in content) return timeOf(content.expiration_time_ms);
  const { id, link, filename, latitude, longitude, name, address } = content;
  const parts =
    latitude === undefined
      ? [filename, link ?? (typeof id === 'string' ? `the provider's id ${id}` : undefined)]
      : [name, address, `${latitude}, ${longitude}`];
  const told = parts.filter((part) => typeof part === 'string' && part !== '');
  return told.length === 0 ? JSON.stringify(content) : told.join(' · ');
}

/** No date is as late as a number can be large. */
function timeOf(ms: unknown): string {
  const time = new Date(Number(ms));
  return Number.isNaN(time.getTime()) ? String(ms) : time.toISOString();
}

const VARIABLES = ['text', 'currency', 'date_time'];

function labelOf({ kind, card, index, subType }: Part, parameter: Parameter, place: number): string {
  const label = labelOnCard(kind, `${index + 1} (${subType.replaceAll('_', ' ')})`, parameter, place);
  return card === null ? label.charAt(0).toUpperCase() + label.slice(1) : `Card ${card + 1}, ${label}`;
}

function labelOnCard(kind: string, button: string, { kind: given, name }: Parameter, place: number): string {
  if (kind === 'button') return `button ${button}`;
  if (kind === 'limited_time_offer') return 'offer: ends at';
  if (given === '') return kind.replaceAll('_', ' ');
  return VARIABLES.includes(given) ? `${kind}: ${name || place + 1}` : `${kind}: ${given}`;
}

interface Keyed {
  /** undefined: the template has no place for it. */
  key: string | undefined;
  text: string;
}

function keysOf(part: Part, whole: TemplateShape, isNamed: boolean): Keyed[] {
  const shape = part.card === null ? whole : whole.cards[part.card];
  const find = (parameter: Parameter, place: number) => {
    if (shape === undefined) return undefined;
    if (part.kind === 'header') return headerKey(shape, parameter, place, isNamed);
    if (part.kind === 'body') return variableKey('body', shape.body, parameter, place, isNamed);
    if (part.kind === 'button') return buttonKey(shape.buttons[part.index], part, place);
    return shape.offer !== null && parameter.kind === 'limited_time_offer' ? 'offer' : undefined;
  };
  // Whether the template has a place for a component of another kind is not known.
  if (!KINDS.includes(part.kind)) return [];
  const prefix = part.card === null ? '' : `card.${part.card}.`;
  return part.parameters.map((parameter, place) => {
    const key = find(parameter, place);
    return { key: key === undefined ? undefined : `${prefix}${key}`, text: parameter.text };
  });
}

const HEADERS = [...MEDIA, 'location'];

function headerKey({ header }: TemplateShape, parameter: Parameter, place: number, isNamed: boolean) {
  if (header === null) return undefined;
  if (header.format === 'text') return variableKey('header', header.text, parameter, place, isNamed);
  return header.format === parameter.kind || !HEADERS.includes(header.format) ? 'header' : undefined;
}

function variableKey(part: string, text: string, { kind, name }: Parameter, place: number, isNamed: boolean) {
  const variables = variablesToFill(text, isNamed);
  const filled = isNamed ? name : variables[place];
  const isMedia = HEADERS.includes(kind);
  return filled !== undefined && variables.includes(filled) && !isMedia ? `${part}.${filled}` : undefined;
}

/** A code to copy is listed as such, or as a link, and is filled like a link. */
function buttonKey(button: ButtonShape | undefined, { index, subType }: Part, place: number) {
  if (button === undefined || place > 0) return undefined;
  const kind = button.kind === 'otp' ? 'url' : button.kind;
  return kind === subType && (kind !== 'url' || takesText(button)) ? `button.${index}` : undefined;
}
