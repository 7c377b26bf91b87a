declare global {
  /** In the language since 2025, and not yet in the compiler's library. */
  interface JSON {
    rawJSON(text: string): object;
    isRawJSON(value: unknown): boolean;
  }
}

/** More digits than a JavaScript number may hold. In a string they only cost a closer look. */
const LONG_INTEGER = /[:,[\s]-?\d{16}/;
/** Neither fraction nor exponent: PostgreSQL takes only so many digits behind a point, and a double has up to 309 before it. */
const INTEGER = /^-?\d+$/;

/**
 * Parses JSON that is passed on as `JSON.parse` does, but a whole number beyond 2^53 becomes an object that `JSON.isRawJSON`
 * knows, and `JSON.stringify` writes with the digits it had. A number too large for a double stays Infinity, so that it can
 * be told. Where a value nests thousands of levels deep, which nobody accepts, long numbers are rounded.
 */
export function parseKeepingDigits(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!LONG_INTEGER.test(text)) return value;
  try {
    return JSON.parse(text, keepDigits);
  } catch (error) {
    // With a reviver the parser recurses, and such a depth exhausts the stack.
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
