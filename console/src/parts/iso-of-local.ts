/**
 * The moment that a `datetime-local` field names, in the zone of whoever reads. A field takes years that no time can have;
 * they stay as they are, and the API says what is wrong with them.
 */
export function isoOfLocal(local: string): string {
  const ms = Date.parse(local);
  return Number.isNaN(ms) ? local : new Date(ms).toISOString();
}
