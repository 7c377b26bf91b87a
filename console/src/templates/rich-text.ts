/** A piece of text that looks the same throughout. */
export interface Run {
  text: string;
  marks: Mark[];
}

export type Mark = 'bold' | 'italic' | 'strike' | 'code' | 'variable';

const SIGNS: [string, Mark][] = [
  ['```', 'code'],
  ['*', 'bold'],
  ['_', 'italic'],
  ['~', 'strike'],
];

/**
 * Reads the signs with which people write bold, italic, struck and monospaced text on a phone. Signs count only around a text, not within a
 * word. https://faq.whatsapp.com/539178204879377
 *
 * Anybody may have written the text, so the time for reading it must grow only with its length, whatever is in it.
 */
export function readRichText(text: string): Run[] {
  return readSigns(text, [], 0);
}

/** Reads the signs in their order, from a place on. The signs before that place were read already. */
function readSigns(text: string, marks: Mark[], place: number): Run[] {
  const [sign, mark] = SIGNS[place] ?? [];
  if (sign === undefined || mark === undefined || marks.includes('code')) return readVariables(text, marks);
  return split(text, sign).flatMap((piece) =>
    readSigns(piece.text, piece.isInside ? [...marks, mark] : marks, place + 1),
  );
}

/** Splits a text at the pairs of a sign. Each opening sign is closed by the first closing one after it. */
function split(text: string, sign: string): { text: string; isInside: boolean }[] {
  const escaped = sign.replaceAll('*', '\\*');
  const begins = placesOf(text, new RegExp(`(?<![\\p{L}\\p{N}])(?=${escaped}\\S)`, 'gu'));
  const ends = placesOf(text, new RegExp(`(?<=\\S)(?=${escaped}(?![\\p{L}\\p{N}]))`, 'gu'));
  const pieces: { text: string; isInside: boolean }[] = [];
  let read = 0;
  let next = 0;
  for (const begin of begins) {
    if (begin < read) continue;
    while (next < ends.length && (ends[next] ?? 0) <= begin + sign.length) next += 1;
    const end = ends[next];
    if (end === undefined) break;
    pieces.push({ text: text.slice(read, begin), isInside: false });
    pieces.push({ text: text.slice(begin + sign.length, end), isInside: true });
    read = end + sign.length;
  }
  return [...pieces, { text: text.slice(read), isInside: false }];
}

function placesOf(text: string, pattern: RegExp): number[] {
  return [...text.matchAll(pattern)].map(({ index }) => index);
}

/** A variable that is not filled in yet is shown as a variable. */
function readVariables(text: string, marks: Mark[]): Run[] {
  return text
    .split(/(\{\{[^{}]+\}\})/)
    .filter((part) => part !== '')
    .map((part) => ({ text: part, marks: /^\{\{[^{}]+\}\}$/.test(part) ? [...marks, 'variable'] : marks }));
}
