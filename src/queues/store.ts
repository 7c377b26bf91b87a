import { DUE, DUE_ORDER, FIRST_ENDPOINTS } from '../endpoints/deliver/due-store.ts';
import { firstIdOfMs } from '../kernel/ids.ts';
import type { KeepLimits } from '../kernel/keep.ts';
import type { QueueLengths } from '../observe/store-metrics.ts';
import type { Queryable } from '../store/database.ts';

/** The oldest due delivery is looked for among so many endpoints, by one step of an index for each. */
const ENDPOINTS_MAX = 1_000;

interface QueueRow {
  queue: string;
  depth: number;
  oldest_seconds: number | null;
}

/**
 * The queues of notifications, over all accounts. Every part reads an index and ends at a limit. `notifications` are
 * those that are due; `notifications_waiting` are all that are not applied, so also statuses whose message is not known
 * yet. What is still packed is due, and counts in both. What was set aside counts as long as it is shown: its week may be there for
 * some days more.
 */
const NOTIFICATIONS_LEFT = `
  with packed as (
    select count(*) as depth, min(received_at) as oldest
    from (select p.received_at from notification_pack p, unnest(p.ids) order by p.id limit $1) n
  ), due as (
    select count(*) as depth, min(next_at) as oldest
    from (select next_at from notification where state = 'waiting' and next_at <= now() order by next_at limit $1) n
  ), waiting as (
    select count(*) as depth from (select 1 from notification where state = 'waiting' limit $1) n
  )
  select 'notifications' as queue, packed.depth + due.depth as depth,
    coalesce(extract(epoch from now() - least(packed.oldest, due.oldest)), 0)::float8 as oldest_seconds
  from packed, due
  union all
  select 'notifications_waiting', packed.depth + waiting.depth, null from packed, waiting
  union all
  select 'notifications_set_aside', count(*), null
  from (select 1 from notification where state = 'set_aside' and id >= $2 limit $1) n`;

/** `notifications`, `notifications_waiting` and `notifications_set_aside`, each counted up to `countedMax` in packs and as far in rows. */
export async function readNotificationQueues(
  store: Queryable,
  countedMax: number,
  { setAsideFromMs }: Pick<KeepLimits, 'setAsideFromMs'>,
): Promise<QueueLengths> {
  return lengthsOf(await store.query<QueueRow>(NOTIFICATIONS_LEFT, [countedMax, firstIdOfMs(setAsideFromMs)]));
}

/** A request's id holds the time of its making, as every UUIDv7 does, in its first 48 bits. */
const REQUESTS_RUNNING = `
  select 'requests' as queue, count(*) as depth,
    coalesce(extract(epoch from now())::float8
      - min(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint)::float8 / 1000, 0) as oldest_seconds
  from (select id from request where completed_at is null limit $1) r`;

/** `requests`: the sends under way, counted up to `countedMax`. */
export async function readRequestQueue(store: Queryable, countedMax: number): Promise<QueueLengths> {
  return lengthsOf(await store.query<QueueRow>(REQUESTS_RUNNING, [countedMax]));
}

/** They wait for a new access token; until then all their messages fail. Test channels are no news to an operator. */
const CHANNELS_SUSPENDED = `
  select 'channels_suspended' as queue, count(*) as depth, null as oldest_seconds
  from (select 1 from channel where status = 'suspended' and mode = 'live' limit $1) c`;

/** `channels_suspended`: the live channels whose access token the provider refuses, counted up to `countedMax`. */
export async function readSuspendedChannels(store: Queryable, countedMax: number): Promise<QueueLengths> {
  return lengthsOf(await store.query<QueueRow>(CHANNELS_SUSPENDED, [countedMax]));
}

/**
 * Deliveries that are due, found by stepping from endpoint to endpoint, as the claim does. `deliveries_untouched` are
 * those of endpoints that no node is working on: they wait for us, not for a slow endpoint.
 */
const DELIVERIES_DUE = `
  with recursive ${FIRST_ENDPOINTS}, due as (
    select d.depth, d.oldest, d.in_hand from waiting w
    cross join lateral (
      select enabled from endpoint where account_id = w.account_id and id = w.endpoint_id limit 1) e
    cross join lateral (
      select count(*) as depth, min(next_at) as oldest, coalesce(bool_or(claimed_until > now()), false) as in_hand
      from (select next_at, claimed_until from delivery
        where ${DUE}
        order by ${DUE_ORDER} limit $2) each) d
    where e.enabled
  )
  select 'deliveries' as queue, coalesce(sum(depth), 0)::bigint as depth,
    coalesce(extract(epoch from now() - min(oldest)), 0)::float8 as oldest_seconds from due
  union all
  select 'deliveries_untouched', coalesce(sum(depth), 0)::bigint,
    coalesce(extract(epoch from now() - min(oldest)), 0)::float8 from due where not in_hand`;

/** `deliveries` and `deliveries_untouched`, of each endpoint counted up to `countedMax`. */
export async function readDeliveryQueues(store: Queryable, countedMax: number): Promise<QueueLengths> {
  return lengthsOf(await store.query<QueueRow>(DELIVERIES_DUE, [ENDPOINTS_MAX, countedMax]));
}

function lengthsOf(rows: readonly QueueRow[]): QueueLengths {
  return new Map(rows.map(({ queue, depth, oldest_seconds: oldestSeconds }) => [queue, { depth, oldestSeconds }]));
}
