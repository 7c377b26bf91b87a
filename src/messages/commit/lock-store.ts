import type { Queryable } from '../../store/database.ts';
import type { SettledMessage } from './settle-store.ts';

/** Requests are locked before their messages, by a recovery too. A recovery skips a request that is locked. */
const REQUEST_LOCK = `
  select r.id from unnest($1::uuid[], $2::uuid[]) as wanted(account_id, id)
  join request r on r.account_id = wanted.account_id and r.id = wanted.id
  order by r.account_id, r.id for update of r`;

/** Returns the ids of those that are there: a deleted account takes its requests along. */
export async function lockRequests(tx: Queryable, settled: readonly SettledMessage[]): Promise<Set<string>> {
  const rows = await tx.query<{ id: string }>(REQUEST_LOCK, [
    settled.map(({ accountId }) => accountId),
    settled.map(({ requestId }) => requestId),
  ]);
  return new Set(rows.map(({ id }) => id));
}
