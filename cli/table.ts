import { styleText } from 'node:util';
import stringWidth from 'string-width';

/** The titles, each with the place of its value in a row: `{ ERROR: 'error.code' }`. */
export type Columns = Record<string, string>;

/** Where something is written. It need not be a terminal. */
export type Terminal = NodeJS.WritableStream & { isTTY?: boolean; columns?: number };

const GAP = '  ';
/** What a person takes for one letter may be several code points, such as a letter and its accent, or a flag. */
const LETTERS = new Intl.Segmenter();
const COLOURS = new Map<string, 'green' | 'red' | 'yellow'>([
  ...paint('green', 'accepted sent delivered read received valid ok connected approved enabled succeeded'),
  ...paint('red', 'failed invalid fail suspended rejected disabled set_aside'),
  ...paint('yellow', 'unknown warn pending paused waiting removed'),
]);

/**
 * Aligned lines under their titles. Lines are cut at the width of the terminal; the last column loses its room first. There are colours
 * only if `stream` is a terminal that shows them.
 */
export function layOut(rows: readonly unknown[], columns: Columns, stream: Terminal): string[] {
  const cells = rows.map((row) => Object.values(columns).map((path) => readCell(row, path)));
  const table = [Object.keys(columns), ...cells];
  const widths = Object.keys(columns).map((_, place) =>
    Math.max(...table.map((line) => stringWidth(line[place] ?? ''))),
  );
  const width = widthOf(stream);
  return table.map((line, place) => {
    const padded = line.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - stringWidth(cell)));
    const text = cut(padded.join(GAP).trimEnd(), width);
    return place === 0 ? styleText('bold', text, { stream }) : colour(text, line, stream);
  });
}

/** How many characters fit into a line; undefined if that does not matter, or if the terminal does not know it and says 0. */
export function widthOf({ isTTY, columns = 0 }: Terminal): number | undefined {
  return isTTY && columns > 0 ? columns : undefined;
}

/** The value in a row, in one line and safe to print: a text may come from a stranger and contain commands for a terminal. */
export function readCell(row: unknown, path: string): string {
  let value: unknown = row;
  for (const member of path.split('.')) value = Reflect.get(Object(value), member);
  return printable(value);
}

export function printable(value: unknown): string {
  if (value === null || value === undefined) return '-';
  const text = typeof value === 'string' ? value : isListOfWords(value) ? value.join(', ') : JSON.stringify(value);
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, ' ');
}

/** The same of a text in several lines, which they stay. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

function isListOfWords(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string');
}

/** A word in the colour of its status; any other word stays as it is. */
export function colourWord(word: string, stream: Terminal): string {
  const found = COLOURS.get(word.trim());
  return found === undefined ? word : styleText(found, word, { stream });
}

/** Colours only a whole cell that is a status, never a word within a text. */
function colour(text: string, cells: readonly string[], stream: Terminal): string {
  const status = cells.find((cell) => COLOURS.has(cell));
  if (status === undefined) return text;
  return text.replace(new RegExp(`(?<=^|\\s{2})${status}(?=\\s{2}|$)`), colourWord(status, stream));
}

function cut(text: string, width: number | undefined): string {
  if (width === undefined || stringWidth(text) <= width) return text;
  let left = width - stringWidth('…');
  let kept = '';
  for (const { segment } of LETTERS.segment(text)) {
    left -= stringWidth(segment);
    if (left < 0) break;
    kept += segment;
  }
  return `${kept}…`;
}

function paint<const Colour>(colour: Colour, words: string): [string, Colour][] {
  return words.split(' ').map((word) => [word, colour]);
}
