import type { Queryable } from '../../store/database.ts';
import { composeStatement } from '../../store/statement-part.ts';
import { beginPart, type NewRequest } from './begin-store.ts';
import { type CompletedRequest, type RowsKnown, type SettledMessage, settlePart } from './settle-store.ts';

/** What many sends write in one commit: some begin, others have their outcomes. */
export interface SendCommit {
  begun: readonly NewRequest[];
  settled: readonly SettledMessage[];
  completed: readonly CompletedRequest[];
}

/**
 * Writes it all in one statement, because to start a statement costs the database more than a request's rows do. Returns the ids of what
 * it has not written: requests that do not stand, because another request has claimed their idempotency key; and, if `rows` is
 * `any`, messages that have an outcome already.
 */
export async function commitSends(
  store: Queryable,
  { begun, settled, completed }: SendCommit,
  rows: RowsKnown,
): Promise<Set<string>> {
  const { text, values } = composeStatement([
    ...(settled.length > 0 || completed.length > 0 ? [settlePart(settled, completed, rows)] : []),
    ...(begun.length > 0 ? [beginPart(begun)] : []),
  ]);
  return new Set((await store.query<{ id: string }>(text, values)).map(({ id }) => id));
}
