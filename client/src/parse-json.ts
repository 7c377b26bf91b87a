/** The value of a JSON text; undefined if it is none, which the caller tells in its own words. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
