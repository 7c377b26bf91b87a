/** A run of text that looks the same throughout. */
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
 * Reads the signs with which people write bold, italic, struck and monospaced text on a phone. Signs count only around
 * a text, not within a word. https://faq.whatsapp.com/539178204879377
 */
export function readRichText(text: string, marks: Mark[] = []): Run[] {
  for (const [sign, mark] of SIGNS) {
    if (marks.includes(mark) || marks.includes('code')) continue;
    const found = find(text, sign);
    if (found === undefined) continue;
    const { before, inside, after } = found;
    return [...readRichText(before, marks), ...readRichText(inside, [...marks, mark]), ...readRichText(after, marks)];
  }
  return readVariables(text, marks);
}

function find(text: string, sign: string) {
  const escaped = sign.replaceAll('*', '\\*');
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])${escaped}(?=\\S)([^]*?\\S)${escaped}(?![\\p{L}\\p{N}])`, 'u');
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const [whole, inside = ''] = match;
  return { before: text.slice(0, match.index), inside, after: text.slice(match.index + whole.length) };
}

/** What is not filled in yet is shown as what it is. */
function readVariables(text: string, marks: Mark[]): Run[] {
  return text
    .split(/(\{\{[^{}]+\}\})/)
    .filter((part) => part !== '')
    .map((part) => ({ text: part, marks: /^\{\{[^{}]+\}\}$/.test(part) ? [...marks, 'variable'] : marks }));
}
