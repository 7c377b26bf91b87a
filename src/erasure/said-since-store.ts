import type { Queryable } from '../store/database.ts';
import type { Stretch } from './stretch.ts';

/**
 * Whether a row of messages is what the person has written since they were asked to be forgotten, the last time if that was more than
 * once. It is new and stays, as a later stop does. Walks meet it, because they begin again minutes after the first one, or days. Both
 * clocks must say so, the provider's and ours: then neither what the provider had held back is new, nor what one clock has wrong. The
 * provider tells whole seconds: what was written in the second of the request counts as written before it. `persons` and `askedAt` are
 * arrays side by side.
 */
export const saidSince = (persons: string, askedAt: string) => `(direction = 'inbound' and (
      select max(told.asked_at) from unnest(${persons}::text[], ${askedAt}::timestamptz[]) as told(name, asked_at)
      where told.name in (phone, user_id)) <= all(array[outcome_at, received_at]))`;

/** Messages are looked up one by one (`offset 0` keeps it so): by a list of ids, all messages of the account were planned to be read. */
const SAID_SINCE = `
  select m.id from unnest($2::uuid[]) as given(id)
  cross join lateral (
    select id, direction, phone, user_id, outcome_at, received_at from message
    where account_id = $1 and id = given.id offset 0) m
  where ${saidSince('$3', '$4')}`;

/** Which of these messages the person has written since they were asked to be forgotten. */
export async function findSaidSince(
  tx: Queryable,
  { accountId, persons, askedAt }: Stretch,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await tx.query<{ id: string }>(SAID_SINCE, [accountId, ids, persons, askedAt]);
  return new Set(rows.map(({ id }) => id));
}
