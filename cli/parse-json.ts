/** Neither fraction nor exponent. */
const INTEGER = /^-?\d+$/;

/**
 * Parses JSON that is passed on as `JSON.parse` does, but a whole number beyond 2^53 becomes an object that `JSON.isRawJSON` knows, and
 * `JSON.stringify` writes with the digits it had. The gateway keeps them too.
 */
export function parseKeepingDigits(text: string): unknown {
  return JSON.parse(text, keepDigits);
}

/** The compiler does not know the third parameter yet. */
function keepDigits(_key: string, value: unknown, ...[context]: { source?: string }[]): unknown {
  const source = context?.source;
  const isLong = typeof value === 'number' && !Number.isSafeInteger(value);
  return isLong && source !== undefined && INTEGER.test(source) ? JSON.rawJSON(source) : value;
}
