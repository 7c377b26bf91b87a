import { E164 } from '../kernel/phone-number.ts';

/** No number has more digits. */
const E164_DIGITS_MAX = 15;
/** The zero of each script in which people write phone numbers with digits of its own. The nine others come after it. */
const ZEROS = '٠۰०০੦૦୦௦౦೦൦๐໐༠၀០０';
const VALUES = new Map(
  [...ZEROS].flatMap((zero) =>
    Array.from({ length: 10 }, (_, value) => [String.fromCodePoint((zero.codePointAt(0) ?? 0) + value), `${value}`]),
  ),
);
/** The signs and letters of ASCII part numbers. Spaces, dots, hyphens and what is not ASCII may stand within one. */
const WITHIN_A_NUMBER = /[.-]|[^!-~]/gu;

/** Whether a recipient that could not be read names one of certain people. */
export type NamesPerson = (to: string) => boolean;

/**
 * Of people who are known by these numbers and user ids. A text names one by the same digits, once a zero in brackets and what is dialled
 * before a country code (00 or 011) are left out. A single leading zero is not left out: it begins a national number, which may be
 * anybody's. The text may also have something beside the number, such as other numbers: then a part of it has these digits, or they are
 * among more than one number can have.
 */
export function namesOneOf(persons: readonly string[]): NamesPerson {
  const names = new Set(persons);
  const numbers = new Set(persons.filter((person) => E164.test(person)).map((number) => number.slice(1)));
  return (to) => {
    if (names.has(to)) return true;
    const parts = inAscii(to)
      .replace(WITHIN_A_NUMBER, '')
      .replace(/[([]0[)\]]/g, '')
      .replace(/[()[\]]/g, '')
      .split(/[^0-9]+/);
    const digits = parts.join('');
    if ([digits, ...parts].some((part) => numbers.has(part.replace(/^(00|011)/, '')))) return true;
    return digits.length > E164_DIGITS_MAX && [...numbers].some((number) => digits.includes(number));
  };
}

function inAscii(text: string): string {
  return text.replace(/\p{Nd}/gu, (digit) => VALUES.get(digit) ?? digit);
}
