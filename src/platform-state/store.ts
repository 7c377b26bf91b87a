import type { Queryable } from '../store/database.ts';
import { LEASE_OVER } from '../store/lease-over.ts';

/** Counting ends here: whether it is a thousand or a million makes no difference to what an operator does. */
export const COUNT_MAX = 1_000;

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

const DELIVERIES_WAITING = 'select count(*) as waiting from (select from delivery limit $1) as d';

/** Everything that is on its way to an endpoint, also to one that is disabled. */
export async function countWaitingDeliveries(store: Queryable): Promise<Bounded> {
  const [row] = await store.query<{ waiting: number }>(DELIVERIES_WAITING, [COUNT_MAX + 1]);
  return bounded(row?.waiting);
}

/**
 * What runs is in a small index of its own, and all of it is looked at, as the recovery does every few seconds: the first thousand are of whichever
 * accounts come first, and neither the oldest nor what a node without a lease has left for the recovery need be among them.
 */
const RUNNING_STATE = `
  select least(count(*), $1) as running, min(r.id::text) as oldest_id, count(*) filter (where node.id is null) as left_behind
  from request r left join node on node.id = r.node_id and not ${LEASE_OVER}
  where r.completed_at is null`;

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

/** Of a count that went beyond the end, if there is more. */
export function bounded(count = 0): Bounded {
  return { count: Math.min(count, COUNT_MAX), more: count > COUNT_MAX };
}
