import type { Answer } from './api.ts';
import { listOf } from './list-of.ts';
import { printableJson } from './printable-json.ts';
import type { Surroundings } from './surroundings.ts';
import { type Columns, layOut, printable, printableLines } from './table.ts';

/** Where results and remarks go: results to standard output, remarks to standard error. */
export interface Output {
  /** Whether a program reads the output. Then results are the API's own JSON. */
  readonly json: boolean;
  line(text: string): void;
  /** Writes a line, and waits until the reader or its pipe has taken it. Returns false if the reader has gone without it. */
  hand(text: string): Promise<boolean>;
  /** A remark beside the results. */
  note(text: string): void;
  table(rows: readonly unknown[], columns: Columns): void;
  /** Writes one thing, with a line for each member; for programs, the answer as it came. */
  thing(answer: Answer): void;
  /** Writes a list, and how to read on; for programs, the answer as it came. */
  list(answer: Answer, columns: Columns): void;
}

/** The output of a command line. `isClosed` says whether the reader of the results has gone, as `| head` does. */
export function createOutput(json: boolean, { stdout, stderr }: Surroundings, isClosed: () => boolean): Output {
  // The text may come from a stranger, and the program that reads it may be a terminal.
  const safe = (text: string) => (json ? printableJson(text) : text);
  const line = (text: string) => {
    if (!isClosed()) stdout.write(`${safe(text)}\n`);
  };
  const hand = (text: string) =>
    new Promise<boolean>((resolve) => {
      if (isClosed()) return resolve(false);
      stdout.write(`${safe(text)}\n`, (error) => resolve(!error));
    });
  const note = (text: string) => void stderr.write(`${printableLines(text)}\n`);
  const table = (rows: readonly unknown[], columns: Columns) => {
    if (rows.length === 0) return note('Nothing was found.');
    for (const text of layOut(rows, columns, stdout)) line(text);
  };
  return {
    json,
    line,
    hand,
    note,
    table,
    thing: (answer) => (json ? line(answer.text || '{}') : describe(answer.json).forEach(line)),
    list(answer, columns) {
      if (json) return line(answer.text);
      const { data, next_cursor: cursor }: { data?: unknown; next_cursor?: unknown } = Object(answer.json);
      table(listOf(data), columns);
      if (typeof cursor === 'string') note(`There is more: --cursor ${cursor}`);
    },
  };
}

/** A line for each member. What has members itself stands below its name, so that nobody has to read JSON. */
function describe(thing: unknown): string[] {
  const members = Object.entries(Object(thing));
  const width = Math.max(0, ...members.flatMap(([name, value]) => (hasMembers(value) ? [] : name.length)));
  return members.flatMap(([name, value]) =>
    hasMembers(value)
      ? [printable(name), ...describe(value).map((text) => `  ${text}`)]
      : [`${printable(name).padEnd(width)}  ${printable(value)}`],
  );
}

/** An object, or a list of objects, which are numbered from 0 as in pointers. */
function hasMembers(value: unknown): boolean {
  if (Array.isArray(value)) return value.some((item) => typeof item === 'object' && item !== null);
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}
