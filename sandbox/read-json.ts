/** A JSON object whose members are not yet known. */
export type JsonObject = Record<string, unknown>;

/** Reads JSON text; `undefined` if it is none, so that callers can answer in their own words. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Callers often send text that is no JSON, and no JSON value is `undefined`.
    return undefined;
  }
}

/** Whether a value is a JSON object, and not an array or null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a member is left out. The provider takes null for that too. */
export function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

/** Whether a value is a string of at least one character. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** The number of code points of a text. */
export function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

/** A string or number as text, since the provider accepts either for the other; `undefined` for everything else. */
export function plainText(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}
