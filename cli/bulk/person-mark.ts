/** What the gateway drops from a number: marks of the direction of text; spaces, tabs, dots, hyphens and brackets. */
const DIRECTION_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const SPACING = /[\p{Zs}\t.-]/gu;
const BRACKETS = /[()[\]]/g;
/** The gateway refuses it, so a row that has it must not stand for another one of the same digits. */
const BRACKETED_ZERO = /[([]0[)\]]/;

/**
 * The same for every way to write one number, and small, because a file may have a million of them. A text that is no
 * number gets a mark of its own, by its row: the gateway says what is wrong with it. What is a number, and which one, is
 * the gateway's to say; `test/contract/same-person.test.ts` holds this to its rules.
 */
export function markOf(to: string, row: number): number | string {
  const plain = to.trim().replace(DIRECTION_MARKS, '').replace(SPACING, '');
  const number = plain.replace(BRACKETS, '');
  if (BRACKETED_ZERO.test(plain) || !/^\+[1-9][0-9]{6,14}$/.test(number)) return `row ${row}`;
  return Number(number.slice(1));
}
