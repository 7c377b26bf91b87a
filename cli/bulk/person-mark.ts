/**
 * The same for every way to write one number, and small, because a file may have a million of them. A text that is no
 * number gets a mark of its own, by its row: the gateway says what is wrong with it.
 */
export function markOf(to: string, row: number): number | string {
  const digits = to.replace(/[\s.\-()[\]\u00a0\u200e\u200f\u202a-\u202e]/g, '');
  return /^\+[1-9][0-9]{6,14}$/.test(digits) ? Number(digits.slice(1)) : `row ${row}`;
}
