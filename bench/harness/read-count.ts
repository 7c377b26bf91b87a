import { PlainFault } from '../../src/run-tool.ts';

/** The value of an option that is a number of things. Throws a sentence if it is not a whole number above 0. */
export function readCount(name: string, text: string): number {
  const count = Number(text);
  if (!Number.isSafeInteger(count) || count < 1) throw new PlainFault(`${name} must be a whole number above 0.`, 2);
  return count;
}
