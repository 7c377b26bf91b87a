/** Whether a JSON value is an object, and neither null, an array, nor digits kept by `parseKeepingDigits`. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
}
