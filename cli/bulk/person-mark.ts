/** What the gateway drops from a number: marks for the direction of text, and spaces, tabs, dots, hyphens and brackets. */
const DIRECTION_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const SPACING = /[\p{Zs}\t.-]/gu;
const BRACKETS = /[()[\]]/g;
/** The gateway refuses a number with such a zero. So a row that has it must not count as a repetition of one with the same digits. */
const BRACKETED_ZERO = /[([]0[)\]]/;

/**
 * A mark that is the same however a number is written, and small, because a file may have a million rows. A text that is not a number gets
 * a mark of its own, by its row, so that the gateway says what is wrong with it. The gateway decides what is a number, and which one;
 * `test/contract/same-person.test.ts` checks that this function follows the same rules.
 */
export function markOf(to: string, row: number): number | string {
  const plain = to.trim().replace(DIRECTION_MARKS, '').replace(SPACING, '');
  const number = plain.replace(BRACKETS, '');
  if (BRACKETED_ZERO.test(plain) || !/^\+[1-9][0-9]{6,14}$/.test(number)) return `row ${row}`;
  return Number(number.slice(1));
}
