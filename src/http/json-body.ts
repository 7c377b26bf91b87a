import { ApiError } from '../kernel/errors.ts';
import { parseKeepingDigits } from '../kernel/json-digits.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads a body as JSON in UTF-8. Throws `malformed_json`. Of a member given twice the last counts. With `passedOn`, long whole
 * numbers keep their digits: see `parseKeepingDigits`.
 */
export function parseJsonBody(raw: Buffer, { passedOn = false } = {}): unknown {
  if (raw.length === 0) throw new ApiError('malformed_json', 'The body is empty.');
  return parseText(decode(raw), passedOn ? parseKeepingDigits : JSON.parse);
}

function decode(raw: Buffer): string {
  try {
    return utf8.decode(raw);
  } catch {
    // The decoder's own message says no more than that the bytes are not UTF-8.
    throw new ApiError('malformed_json', 'The body is not valid UTF-8.');
  }
}

function parseText(text: string, parse: (text: string) => unknown): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw new ApiError('malformed_json', `The body is not valid JSON${whereOf(text, error)}.`);
  }
}

/** Where the mistake is. The parser's own message may quote the body, which may hold what a person wrote: only the place is told. */
function whereOf(text: string, error: unknown): string {
  // No editor shows this mark, and some programs write it into every file.
  if (text.startsWith('\ufeff')) return '. It begins with a byte order mark';
  const { message = '' } = error instanceof SyntaxError ? error : {};
  if (message === 'Unexpected end of JSON input') return ': it ends too early';
  const [, line, column] = / \(line (\d+) column (\d+)\)$/.exec(message) ?? [];
  return line === undefined ? '' : `: see line ${line}, column ${column}`;
}
