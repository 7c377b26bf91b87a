import type { Queryable } from '../../store/database.ts';
import type { MessageStatus } from '../message.ts';
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

/** Locked in the same order everywhere, so that two writers cannot deadlock. */
const MESSAGE_LOCK_STATUS = `
  select m.id, m.status from unnest($1::uuid[], $2::uuid[]) as wanted(account_id, id)
  join message m on m.account_id = wanted.account_id and m.id = wanted.id
  order by m.account_id, m.id for update of m`;

/** The statuses that these messages have before this transaction changes them. A message without a row is not in the result. */
export async function lockStatuses(
  tx: Queryable,
  settled: readonly SettledMessage[],
): Promise<Map<string, MessageStatus>> {
  const rows = await tx.query<{ id: string; status: MessageStatus }>(MESSAGE_LOCK_STATUS, [
    settled.map(({ accountId }) => accountId),
    settled.map(({ message }) => message.id),
  ]);
  return new Map(rows.map(({ id, status }) => [id, status]));
}
