import { DUE, DUE_ORDER, FIRST_ENDPOINTS } from '../endpoints/deliver/delivery-store.ts';
import type { Queryable } from '../store/database.ts';
import { LEASE_OVER } from '../store/lease-over.ts';

/** Counting ends here: whether it is a thousand or a million makes no difference to what an operator does. */
const COUNT_MAX = 1_000;
/** The oldest due delivery is looked for among so many endpoints, by one step of an index for each. */
const ENDPOINTS_MAX = 1_000;

/** `more`: there are more than were counted. */
export interface Bounded {
  count: number;
  more: boolean;
}

export interface NodeState {
  id: string;
  host: string;
  started_at: Date;
  lease_until: Date;
  alive: boolean;
}

const NODES = `
  select id, host, started_at, lease_until, not ${LEASE_OVER} as alive from node order by started_at limit 1000`;

export function listNodeStates(store: Queryable): Promise<NodeState[]> {
  return store.query<NodeState>(NODES);
}

/** Each reads an index of what is left to do, and no more of it than is counted. What is still packed is due since it came. */
const NOTIFICATION_STATE = `
  with waiting as (
    (select p.received_at as next_at from notification_pack p, unnest(p.ids) order by p.id limit $1)
    union all
    (select next_at from notification where state = 'waiting' order by next_at limit $1)
  )
  select (select count(*) from waiting) as waiting, (select min(next_at) from waiting) as oldest_at,
    (select count(*) from (select from notification where state = 'set_aside' limit $1) as s) as set_aside`;

export interface NotificationState {
  waiting: Bounded;
  setAside: Bounded;
  /** When the one that has waited longest was due; null: none waits. It may be in the future. */
  oldestAt: Date | null;
}

export async function readNotificationState(store: Queryable): Promise<NotificationState> {
  const [row] = await store.query<{ waiting: number; set_aside: number; oldest_at: Date | null }>(NOTIFICATION_STATE, [
    COUNT_MAX + 1,
  ]);
  return { waiting: bounded(row?.waiting), setAside: bounded(row?.set_aside), oldestAt: row?.oldest_at ?? null };
}

/** Steps from one endpoint with deliveries to the next, as the claim does. Those of disabled endpoints are not due. */
const DELIVERY_STATE = `
  with recursive ${FIRST_ENDPOINTS}, due as (
    select d.next_at from waiting w
    join endpoint e on e.account_id = w.account_id and e.id = w.endpoint_id and e.enabled
    cross join lateral (
      select next_at from delivery
      where ${DUE}
      order by ${DUE_ORDER} limit $2) d
  )
  select (select count(*) from (select from delivery limit $2) as every) as waiting,
    least(count(*), $2) as due, min(next_at) as oldest_at from due`;

export interface DeliveryState {
  waiting: Bounded;
  due: Bounded;
  oldestAt: Date | null;
}

export async function readDeliveryState(store: Queryable): Promise<DeliveryState> {
  const [row] = await store.query<{ waiting: number; due: number; oldest_at: Date | null }>(DELIVERY_STATE, [
    ENDPOINTS_MAX,
    COUNT_MAX + 1,
  ]);
  return { waiting: bounded(row?.waiting), due: bounded(row?.due), oldestAt: row?.oldest_at ?? null };
}

/** What runs is in a small index of its own. What a node without a lease has left waits for the recovery. */
const RUNNING_STATE = `
  with running as (
    select r.id, r.node_id from request r where r.completed_at is null limit $1
  )
  select count(*) as running, min(running.id::text) as oldest_id,
    count(*) filter (where node.id is null) as left_behind
  from running left join node on node.id = running.node_id and not ${LEASE_OVER}`;

export interface RunningState {
  running: Bounded;
  leftBehind: number;
  oldestId: string | null;
}

export async function readRunningState(store: Queryable): Promise<RunningState> {
  const [row] = await store.query<{ running: number; oldest_id: string | null; left_behind: number }>(RUNNING_STATE, [
    COUNT_MAX + 1,
  ]);
  return { running: bounded(row?.running), leftBehind: row?.left_behind ?? 0, oldestId: row?.oldest_id ?? null };
}

const STATISTICS_STATE = `
  select count(*) as due, min(due_at) as oldest_at
  from (select due_at from message_statistics_due where step = 'minute' order by due_at limit $1) as d`;

/** Minutes that are to be counted again, each for an account. */
export async function readStatisticsState(store: Queryable): Promise<{ due: Bounded; oldestAt: Date | null }> {
  const [row] = await store.query<{ due: number; oldest_at: Date | null }>(STATISTICS_STATE, [COUNT_MAX + 1]);
  return { due: bounded(row?.due), oldestAt: row?.oldest_at ?? null };
}

const DATABASE_STATE = `
  select current_setting('server_version') as version, pg_database_size(current_database()) as size_bytes, now() as at`;

export interface DatabaseState {
  version: string;
  size_bytes: number;
  at: Date;
}

export async function readDatabaseState(store: Queryable): Promise<DatabaseState> {
  const [row] = await store.query<DatabaseState>(DATABASE_STATE);
  if (row === undefined) throw new Error('A select without a table gave no row');
  return row;
}

function bounded(count = 0): Bounded {
  return { count: Math.min(count, COUNT_MAX), more: count > COUNT_MAX };
}
