import { idTimeMs } from '../kernel/ids.ts';
import type { Queryable, Transaction } from '../store/database.ts';
import type { PartedTable } from '../store/parted-tables.ts';

/** A week of a table. */
export interface Partition {
  name: string;
  /** The first moment after it. */
  untilMs: number;
  /** Its size on the disk, in blocks. */
  blocks: number;
}

/**
 * The default partition has no bounds, and is no week. `pg_get_expr` and `pg_relation_size` look at what there is now, and give null for
 * a week that another node drops while this statement runs. `offset 0` has each called only once for a week: called twice, it
 * could find the week for the condition and not for the answer.
 */
const PARTITION_LIST = `
  select c.relname as name, substring(now.bounds from 'TO \\(''([^'']+)''\\)') as until,
    now.bytes / current_setting('block_size')::integer as blocks
  from pg_inherits i join pg_class c on c.oid = i.inhrelid
  cross join lateral (
    select pg_get_expr(c.relpartbound, c.oid) as bounds, pg_relation_size(c.oid) as bytes offset 0) as now
  where i.inhparent = to_regclass($1) and now.bounds <> 'DEFAULT' and now.bytes is not null
  order by c.relname`;

/** The weeks of a table, oldest first. */
export async function listPartitions(store: Queryable, parent: PartedTable): Promise<Partition[]> {
  const rows = await store.query<{ name: string; until: string; blocks: number }>(PARTITION_LIST, [parent]);
  return rows.map(({ name, until, blocks }) => ({ name, untilMs: idTimeMs(until), blocks }));
}

/** The index of running requests holds few rows, so this costs nothing. */
const REQUEST_RUNNING = 'select 1 as running from request where completed_at is null and id < $1 limit 1';

/** Whether a request that was made before this id still runs. */
export async function isAnyRunning(store: Queryable, beforeId: string): Promise<boolean> {
  return (await store.query(REQUEST_RUNNING, [beforeId])).length > 0;
}

/** One step into the index for each log. */
const eventsLeft = (partition: string) => `
  select 1 as left_over from event_sequence s
  cross join lateral (
    select sequence from ${partition} e where e.account_id = s.account_id and e.mode = s.mode
    order by sequence desc limit 1) as last
  where last.sequence > s.expired limit 1`;

/** Whether a week of events holds some that have not expired. */
export async function holdsEvents(store: Queryable, partition: string): Promise<boolean> {
  return (await store.query(eventsLeft(partition))).length > 0;
}

/**
 * What must outlive its week: it waits, was set aside, or was applied late. Each arm has an index that holds little else.
 * $1 is the time before which what was applied is past its time, $2 the first id of what was set aside and is not.
 */
const LEFT_OVER = (partition: string) => `
  select * from ${partition} where state = 'waiting'
  union all select * from ${partition} where state = 'set_aside' and id >= $2
  union all select * from ${partition} where state = 'applied' and applied_late(id, applied_at) and applied_at >= $1`;

const leftOverSize = (partition: string) => `
  select count(*) as rows, coalesce(sum(octet_length(body)), 0)::bigint as bytes
  from (select body from (${LEFT_OVER(partition)}) as kept limit $3) as first`;

/**
 * How much of a week of notifications must outlive it, counted up to so many rows: where another program sends from the same number, what
 * was set aside are millions, and it is asked again each hour until they are past their time.
 */
export async function sizeLeftOver(
  store: Queryable,
  partition: string,
  values: [appliedFrom: Date, setAsideFromId: string],
  rowsMax: number,
): Promise<{ rows: number; bytes: number }> {
  const [size] = await store.query<{ rows: number; bytes: number }>(leftOverSize(partition), [...values, rowsMax]);
  return size ?? { rows: 0, bytes: 0 };
}

/** No partition covers that week any more, so these rows go into the default partition. */
const leftOverMove = (partition: string) => `
  insert into notification (id, origin, body, state, kinds, items_left, error, attempts, next_at, applied_at)
  select id, origin, body, state, kinds, items_left, error, attempts, next_at, applied_at
  from (${LEFT_OVER(partition)}) as kept`;

/** Drops a week of notifications, except what must outlive it. It locks as `dropPartition` does. */
export async function dropNotifications(
  tx: Transaction,
  partition: string,
  values: [appliedFrom: Date, setAsideFromId: string],
): Promise<void> {
  await tx.runScript(`alter table notification detach partition ${partition}`);
  await tx.query(leftOverMove(partition), values);
  await tx.runScript(`drop table ${partition}`);
}

/**
 * Drops a week. Nobody can use the table between the moment that this gets its locks and the commit, which are some
 * milliseconds: the files are removed after the locks are given back.
 */
export async function dropPartition(tx: Transaction, partition: string): Promise<void> {
  await tx.runScript(`drop table ${partition}`);
}
