/** Between these two sizes the text of a number is at most about five times as long as it was written. */
const LARGE = 1e21;
const SMALL = 1e-21;

/**
 * Whether a number is so large or so close to zero that its places are many more than its digits. PostgreSQL writes all of them
 * into the text of a `jsonb`: 1e308 as 309 digits, and a megabyte of them as sixty.
 */
export function isFarNumber(number: number): boolean {
  const size = Math.abs(number);
  return size >= LARGE || (size < SMALL && size > 0);
}
