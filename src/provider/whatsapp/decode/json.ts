/** A run of digits that a JavaScript number may not hold; one inside a string only costs a closer look. */
const LONG_INTEGER = /[:,[\s]-?\d{16}/;
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
const INTEGER = /^-?\d{16,}$/;

type ParsedJson = { kind: 'json'; value: unknown } | { kind: 'not_json' };

/**
 * Parses JSON without losing a digit: integers beyond 2^53 come as strings, because ids of the provider's templates
 * are JSON numbers and may exceed it. Neither depth nor size makes it throw.
 */
export function parseJson(text: string): ParsedJson {
  try {
    const value: unknown = JSON.parse(text);
    // The first parse has proven that this is JSON, so that quoting its long integers keeps it so.
    return { kind: 'json', value: LONG_INTEGER.test(text) ? JSON.parse(quoteUnsafeIntegers(text)) : value };
  } catch (error) {
    if (error instanceof SyntaxError) return { kind: 'not_json' };
    throw error;
  }
}

function quoteUnsafeIntegers(text: string): string {
  return text.replace(STRING_OR_NUMBER, (token) =>
    INTEGER.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token,
  );
}
