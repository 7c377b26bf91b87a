/** What people write in phone numbers for the eye alone: spaces, tabs, dots, hyphens and brackets. */
const DECORATION = /[\p{Zs}\t.\-()[\]]/gu;
/** Marks that are copied along with a number from a page with text in two directions. */
const DIRECTION_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
/** "+44 (0)20" means two different numbers; dropping the zero or keeping it would reach another person. */
const BRACKETED_ZERO = /[([]0[)\]]/u;
/** A phone number as this API always writes it. */
export const E164 = /^\+[1-9][0-9]{6,14}$/;

/** The E.164 form, `+` and 7 to 15 digits, of a phone number as people write it; undefined if that is not certain. */
export function readPhoneNumber(text: string): string | undefined {
  const plain = text.replace(DIRECTION_MARKS, '');
  if (BRACKETED_ZERO.test(plain.replace(/[\p{Zs}\t.-]/gu, ''))) return undefined;
  const number = plain.replace(DECORATION, '');
  return E164.test(number) ? number : undefined;
}
