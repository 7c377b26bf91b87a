/** The value of a body; null if there is none, and undefined if it is not JSON: then it may come from something between this page and the gateway. */
export function jsonOf(text: string): unknown {
  try {
    return text === '' ? null : JSON.parse(text);
  } catch {
    // Whoever reads it reports that it is not what was expected.
    return undefined;
  }
}
