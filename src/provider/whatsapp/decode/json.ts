/** Digits, or a power of ten, that a JavaScript number may not hold; one inside a string only costs a closer look. */
const LARGE_NUMBER = /[:,[\s]-?\d{16}|\d[eE]\+?\d{3,}[,}\]\s]/;
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
const INTEGER = /^-?\d{16,}$/;

type ParsedJson = { kind: 'json'; value: unknown } | { kind: 'not_json' };

/**
 * Parses JSON without losing a digit: integers beyond 2^53 come as strings, because ids of the provider's templates
 * are JSON numbers and may exceed it. So does a number beyond 1.8e308, which would else end as null. Neither depth nor
 * size makes it throw.
 */
export function parseJson(text: string): ParsedJson {
  try {
    const value: unknown = JSON.parse(text);
    // The first parse has proven that this is JSON, so that quoting its large numbers keeps it so.
    return { kind: 'json', value: LARGE_NUMBER.test(text) ? JSON.parse(quoteUnsafeNumbers(text)) : value };
  } catch (error) {
    if (error instanceof SyntaxError) return { kind: 'not_json' };
    throw error;
  }
}

function quoteUnsafeNumbers(text: string): string {
  return text.replace(STRING_OR_NUMBER, (token) => (isUnsafe(token) ? `"${token}"` : token));
}

/** A string is none of the two: it begins with a quotation mark. */
function isUnsafe(token: string): boolean {
  const value = Number(token);
  return INTEGER.test(token) ? !Number.isSafeInteger(value) : Math.abs(value) === Number.POSITIVE_INFINITY;
}
