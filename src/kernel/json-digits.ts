declare global {
  /** Of the language since 2025, and not yet in the compiler's library. */
  interface JSON {
    rawJSON(text: string): object;
    isRawJSON(value: unknown): boolean;
  }
}

/** Digits that a JavaScript number may not hold; some inside a string only cost a closer look. */
const LONG_INTEGER = /[:,[\s]-?\d{16}/;
/** Without fraction and exponent: PostgreSQL takes only so many digits behind a point, and a double has 309 before it. */
const INTEGER = /^-?\d+$/;

/**
 * Parses JSON that is passed on, as `JSON.parse` does, but a whole number beyond 2^53 becomes what `JSON.isRawJSON` knows and
 * `JSON.stringify` writes as it was given. One so large that it is Infinity stays that: no other number looks like it.
 * Nested some thousand levels deep, which nobody accepts, long numbers are rounded as by `JSON.parse`.
 */
export function parseKeepingDigits(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!LONG_INTEGER.test(text)) return value;
  try {
    return JSON.parse(text, keepDigits);
  } catch (error) {
    // With a function of ours the parser recurses, and such a depth exhausts the stack.
    if (error instanceof RangeError) return value;
    throw error;
  }
}

/** The compiler does not know the third parameter yet. */
function keepDigits(_key: string, value: unknown, ...[context]: { source?: string }[]): unknown {
  const source = context?.source;
  const isLong = typeof value === 'number' && Number.isFinite(value) && !Number.isSafeInteger(value);
  return isLong && source !== undefined && INTEGER.test(source) ? JSON.rawJSON(source) : value;
}
