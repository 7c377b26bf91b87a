import { type Options, textOf } from '../command-spec.ts';
import { bodyOf, type Component, type Content, composeSend, type Recipient, readContent } from '../content.ts';
import { usage } from '../failure.ts';
import type { Row } from './rows.ts';

/** How rows become messages. */
export interface Recipe {
  /** What is sent for this row. A text says why it cannot be sent. */
  prepare(row: Row): Prepared | string;
  /** The body of a send to rows that were prepared with the same text. */
  compose(text: string | undefined, to: readonly Recipient[]): ReturnType<typeof composeSend>;
  /** A send of what all rows share, to a number that is nobody's. It is looked at, and nothing is sent. */
  sample: ReturnType<typeof composeSend>;
  /** Everything that decides what is sent, in one line. With another fingerprint it is another send. */
  fingerprint: string;
}

export interface Prepared {
  /** The text of this row; undefined for a template. */
  text: string | undefined;
  recipient: Recipient;
}

const ANYBODY = '+447700900123';
/** As long as the API allows. */
const TEXT_LENGTH_MAX = 4_096;
const PLACEHOLDER = /\{\{\s*([^{}]*?)\s*\}\}/g;

/** Reads the options. Every `{{column}}` in a text or a component, and in a parameter's value, must name a column. */
export function readRecipe(options: Options, columns: ReadonlySet<string>): Recipe {
  const { content, params } = readContent(options);
  checkColumns(content, columns);
  for (const { value } of params)
    if (!columns.has(value))
      throw usage(
        `--param names a column with --csv, and there is none "${value}". There are: ${[...columns].join(', ')}.`,
      );
  const shared = { from: textOf(options, 'from'), reference: textOf(options, 'clientReference') };
  return {
    fingerprint: JSON.stringify({ content, params, ...shared }),
    compose: (text, to) => composeSend(text === undefined ? bare(content) : withText(content, text), to, options),
    // Of a text nothing is shared: it is another one once it is filled in.
    sample: composeSend(withText(bare(content), 'Hello'), [{ to: ANYBODY }], options),
    prepare({ cells, fault }) {
      if (fault !== undefined) return fault;
      const reference = cells.get('client_reference')?.trim();
      const recipient: Recipient = {
        to: (cells.get('to') ?? '').trim(),
        ...(reference && { client_reference: reference }),
      };
      if (content.type === 'text') return prepareText(fill(content.text.body, cells), recipient);
      const values = params.map((param) => ({ ...param, value: cells.get(param.value) ?? '' }));
      const components = [...fillComponents(content.template.components ?? [], cells), ...bodyOf(values)];
      return { text: undefined, recipient: { ...recipient, ...(components.length > 0 && { components }) } };
    },
  };
}

function checkColumns(content: Content, columns: ReadonlySet<string>): void {
  for (const [, name = ''] of textsIn(content).flatMap((text) => [...text.matchAll(PLACEHOLDER)]))
    if (!columns.has(name))
      throw usage(`There is no column "${name}" for {{${name}}}. There are: ${[...columns].join(', ')}.`);
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/**
 * All rows of a request share the text. So a text that the API would refuse is found here; otherwise it would cost other rows their send.
 */
function prepareText(text: string, recipient: Recipient): Prepared | string {
  const length = [...text].length;
  if (length === 0) return 'Its text is empty';
  if (length > TEXT_LENGTH_MAX) return `Its text has ${length} characters, and may have ${TEXT_LENGTH_MAX}`;
  if (text.includes('\u0000')) return 'Its text holds a zero byte';
  return { text, recipient };
}

function fill(text: string, cells: ReadonlyMap<string, string>): string {
  return text.replace(PLACEHOLDER, (_, name: string) => cells.get(name) ?? '');
}

function fillComponents(components: readonly Component[], cells: ReadonlyMap<string, string>): Component[] {
  return components.map(({ type, ...members }) => ({ type, ...Object(fillAll(members, cells)) }));
}

function fillAll(value: unknown, cells: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return fill(value, cells);
  if (Array.isArray(value)) return value.map((item) => fillAll(item, cells));
  // A long number is kept in an object that must stay as it is.
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, fillAll(item, cells)]));
}

function withText(content: Content, body: string): Content {
  return content.type === 'text' ? { ...content, text: { ...content.text, body } } : content;
}

/** The content without its components, because these go with each recipient. */
function bare(content: Content): Content {
  if (content.type === 'text') return content;
  const { name, language } = content.template;
  return { type: 'template', template: { name, language } };
}
