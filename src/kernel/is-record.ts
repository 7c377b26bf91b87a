/** Whether a JSON value is an object, neither null nor an array: the first question of whoever reads what others have written. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
}
