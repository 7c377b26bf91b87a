import { usage } from './failure.ts';

/** The number of an option; undefined if it was not given. What the API allows is for the API to say. */
export function wholeNumber(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw usage(`${option} must be a whole number, and is "${text}".`);
  return Number(text);
}
