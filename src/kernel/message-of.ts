/**
 * What a thrown value says: nearly always it is an error. Node's error for a name none of whose addresses can be reached says
 * nothing itself: the errors that it holds do, one for each address.
 */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof AggregateError && thrown.message === '') return thrown.errors.map(messageOf).join(', ');
  return thrown instanceof Error ? thrown.message : String(thrown);
}
