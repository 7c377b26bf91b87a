/**
 * Reads JSON; undefined if it is none: what the parser says would quote the keys that stand in such a file. Whoever asks says
 * it in a sentence.
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
