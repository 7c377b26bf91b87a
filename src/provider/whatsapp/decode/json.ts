import { isFarNumber } from '../../../kernel/is-far-number.ts';

/** Digits that a JavaScript number may not hold, or a power of ten that may be far; one inside a string only costs a closer look. */
const LARGE_NUMBER = /[:,[\s]-?\d{16}|\d[eE][+-]?\d{2,}[,}\]\s]/;
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
const INTEGER = /^-?\d{16,}$/;

type ParsedJson = { kind: 'json'; value: unknown } | { kind: 'not_json' };

/**
 * Parses JSON without losing a digit: integers beyond 2^53 come as strings, because ids of the provider's templates
 * are JSON numbers and may exceed it. So does a number with a power of ten that the database would write out in hundreds of
 * digits (`isFarNumber`), or that would end as null. Neither depth nor size makes it throw.
 */
export function parseJson(text: string): ParsedJson {
  try {
    const value: unknown = JSON.parse(text);
    return { kind: 'json', value: LARGE_NUMBER.test(text) ? parseQuoting(text) : value };
  } catch (error) {
    if (error instanceof SyntaxError) return { kind: 'not_json' };
    throw error;
  }
}

/**
 * The same of what is passed on as the provider sent it: an integer beyond 2^53 comes as an object that `JSON.isRawJSON`
 * knows, so that it is written as a number again; `idAt` reads it. Where a value nests thousands of levels deep, which the
 * provider never sends, it comes as a string.
 */
export function parseAsSent(text: string): ParsedJson {
  try {
    if (LARGE_NUMBER.test(text)) return { kind: 'json', value: JSON.parse(text, keepNumber) };
  } catch (error) {
    // With a reviver the parser recurses, and such a depth exhausts the stack.
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
  }
  return parseJson(text);
}

/** The compiler does not know the third parameter yet. */
function keepNumber(_key: string, value: unknown, ...[context]: { source?: string }[]): unknown {
  const source = context?.source;
  if (typeof value !== 'number' || source === undefined || !isUnsafe(source)) return value;
  return INTEGER.test(source) && Number.isFinite(value) ? JSON.rawJSON(source) : source;
}

/** The text has been proven to be JSON, so that quoting its large numbers keeps it so. */
function parseQuoting(text: string): unknown {
  return JSON.parse(text.replace(STRING_OR_NUMBER, (token) => (isUnsafe(token) ? `"${token}"` : token)));
}

/** A string is none of the two: it begins with a quotation mark. */
function isUnsafe(token: string): boolean {
  const value = Number(token);
  return INTEGER.test(token) ? !Number.isSafeInteger(value) : isFarNumber(value);
}
