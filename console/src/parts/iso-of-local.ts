/**
 * The moment that a `datetime-local` field names, in the reader's own zone. Such a field accepts years that no time can have. These are
 * returned as they are, and the API says what is wrong with them.
 */
export function isoOfLocal(local: string): string {
  const ms = Date.parse(local);
  return Number.isNaN(ms) ? local : new Date(ms).toISOString();
}
