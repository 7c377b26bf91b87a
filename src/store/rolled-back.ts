/** The errors of statements and transactions that left nothing behind. Weak, so that they can be collected. */
const rolledBack = new WeakSet<object>();

/** Notes that what threw this error wrote nothing. Only the store itself can know. */
export function noteRolledBack(error: unknown): void {
  if (typeof error === 'object' && error !== null) rolledBack.add(error);
}

/** Whether it is certain that the statement or transaction that threw this error wrote nothing. */
export function surelyRolledBack(error: unknown): boolean {
  return typeof error === 'object' && error !== null && rolledBack.has(error);
}
