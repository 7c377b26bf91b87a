/** A value as the text of a `jsonb` column; what is missing is null and not the JSON value `null`. */
export function jsonOrNull(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}
