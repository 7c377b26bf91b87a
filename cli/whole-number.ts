import { usage } from './failure.ts';

/** The value of an option as a number; undefined if it was not given. The API decides which numbers are allowed. */
export function wholeNumber(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw usage(`${option} must be a whole number, and is "${text}".`);
  return Number(text);
}
