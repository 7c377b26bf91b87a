/**
 * Reads JSON; undefined if it is none. The parser's own message is left out, because it would quote the keys that are in such a file. The
 * caller reports the fault in a sentence.
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
