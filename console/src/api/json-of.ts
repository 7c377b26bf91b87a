/** The value of a body; undefined if there is none, or if it is not JSON: then it may come from something between this page and the gateway. */
export function jsonOf(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    // Whoever reads it reports that it is not what was expected.
    return undefined;
  }
}
