/** A member of an answer that should be a list; empty if it is none, as in the answer of something that is no gateway. */
export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
