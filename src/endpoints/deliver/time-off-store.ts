import type { Queryable } from '../../store/database.ts';

/** Nodes note that they run far more often. A restart, or a database that is away for a moment, is no time off. */
const TIME_OFF_MIN = "interval '10 minutes'";

/**
 * It waits for no lock, because all deliveries of this node would wait with it. If the one row is locked, another node is doing the same
 * at this moment; an endpoint that is locked is being changed, and its days are counted as if there had been no time off.
 */
const NOTE_DELIVERING = `
  with last as (
    select seen_at from delivering for update skip locked
  ), noted as (
    update delivering set seen_at = now() where exists (select from last)
  ), failing as (
    select e.account_id, e.id, last.seen_at from endpoint e cross join last
    where e.failing_since is not null and last.seen_at < now() - ${TIME_OFF_MIN}
    for update of e skip locked
  )
  update endpoint e set failing_since = least(e.failing_since + (now() - f.seen_at), now())
  from failing f where e.account_id = f.account_id and e.id = f.id`;

/**
 * Notes that a node looks for deliveries. If none has for long (all gateways were off, or the database was), the days of all endpoints
 * that fail go on from where they stood then.
 */
export async function noteDelivering(store: Queryable): Promise<void> {
  await store.query(NOTE_DELIVERING);
}
