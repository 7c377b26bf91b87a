import { firstIdOfMs } from '../kernel/ids.ts';
import type { KeepLimits } from '../kernel/keep.ts';
import type { Queryable } from '../store/database.ts';
import type { PartedTable } from '../store/parted-tables.ts';

/** A stretch of blocks of a table, up to but without the last one. */
export interface Blocks {
  table: string;
  from: number;
  to: number;
}

/** A range of places (`ctid`): only these blocks of the table are read. */
const IN_BLOCKS = 'ctid >= $1::tid and ctid < $2::tid';

const bounds = ({ from, to }: Blocks) => [`(${from},0)`, `(${to},0)`];

type Kind = 'request' | 'message';

/** The faults of a template's parameters quote these parameters, so they are emptied with the content. */
const EMPTIED: Record<Kind, string> = {
  request: 'content = null',
  message: "content = null, error = error - 'errors', outcome_error = outcome_error - 'errors'",
};

/** What still runs keeps its content, because ending it needs that. */
const HAS_CONTENT: Record<Kind, string> = {
  request: 'content is not null and completed_at is not null',
  message: `(content is not null or error ? 'errors' or outcome_error ? 'errors')
      and status not in ('pending', 'transmitting')`,
};

const contentEmpty = (table: string, kind: Kind) => `
  update ${table} set ${EMPTIED[kind]} where ${IN_BLOCKS} and ${HAS_CONTENT[kind]}`;

/** Empties the content in a stretch of blocks. */
export async function emptyContent(tx: Queryable, kind: Kind, blocks: Blocks): Promise<void> {
  await tx.query(contentEmpty(blocks.table, kind), bounds(blocks));
}

const appliedDelete = (table: string) => `
  delete from ${table} where ${IN_BLOCKS} and state = 'applied' and applied_at < $3`;

/** Deletes notifications that are past their time from a week that could not be dropped. */
export async function deleteApplied(tx: Queryable, blocks: Blocks, { appliedFromMs }: KeepLimits): Promise<void> {
  await tx.query(appliedDelete(blocks.table), [...bounds(blocks), new Date(appliedFromMs)]);
}

const WINDOW_BLOCKS = `
  select pg_relation_size('customer_window') / current_setting('block_size')::integer as blocks`;
const WINDOW_DELETE = `delete from customer_window where ${IN_BLOCKS} and last_at < $3`;

export async function countWindowBlocks(tx: Queryable): Promise<number> {
  return (await tx.query<{ blocks: number }>(WINDOW_BLOCKS))[0]?.blocks ?? 0;
}

/** Forgets when people last wrote who have not written for as long as messages are kept. */
export async function deleteWindows(tx: Queryable, blocks: Blocks, { messagesFromMs }: KeepLimits): Promise<void> {
  await tx.query(WINDOW_DELETE, [...bounds(blocks), new Date(messagesFromMs)]);
}

/**
 * What is past its time among the rows that no week covers: a wrong clock made them, or they have outlived their week.
 * $1, $2 and $3 are the first ids of messages, events and what was set aside that are still kept, $4 the time of what was
 * applied.
 */
const STRAYS: Record<PartedTable, string> = {
  timeline: 'message_id < $1',
  message: "id < $1 and status not in ('pending', 'transmitting')",
  request: 'id < $1 and completed_at is not null',
  attempt: 'id < $2',
  event: `id < $2 and sequence <= (
      select expired from event_sequence s where s.account_id = stray.account_id and s.mode = stray.mode)`,
  notification: "(state = 'set_aside' and id < $3) or (state = 'applied' and applied_at < $4)",
};

/** The first line only tells PostgreSQL the types of those parameters that the condition of this table does not use. */
const straysDelete = (parent: string, past: string) => `
  with types as (select $1::uuid, $2::uuid, $3::uuid, $4::timestamptz)
  delete from ${parent}_default where ctid = any(array(select ctid from ${parent}_default as stray where ${past} limit $5))
  returning 1 as gone`;

/** Deletes some rows that no week covers and that are past their time; returns how many. */
export async function deleteStrays(tx: Queryable, limits: KeepLimits, limit: number): Promise<number> {
  const values = [
    firstIdOfMs(limits.messagesFromMs),
    firstIdOfMs(limits.eventsFromMs),
    firstIdOfMs(limits.setAsideFromMs),
    new Date(limits.appliedFromMs),
    limit,
  ];
  let gone = 0;
  for (const [parent, past] of Object.entries(STRAYS))
    gone += (await tx.query(straysDelete(parent, past), values)).length;
  return gone;
}

const straysEmpty = (kind: Kind) => `
  update ${kind}_default set ${EMPTIED[kind]} where ctid = any(array(
    select ctid from ${kind}_default where id < $1 and ${HAS_CONTENT[kind]} limit $2))
  returning 1 as emptied`;

/** Empties the content of some rows that no week covers; returns of how many. */
export async function emptyStrays(tx: Queryable, { contentFromMs }: KeepLimits, limit: number): Promise<number> {
  let emptied = 0;
  for (const kind of ['request', 'message'] as const)
    emptied += (await tx.query(straysEmpty(kind), [firstIdOfMs(contentFromMs), limit])).length;
  return emptied;
}

/**
 * One range of the primary key for each endpoint, so that deliveries that are to stay are not read. Those that somebody has locked
 * are left to the next time, because waiting for them in an order that others do not keep could end in a deadlock.
 */
const DELIVERY_EXPIRE = `
  delete from delivery where ctid = any(array(
    select d.ctid from endpoint e cross join lateral (
      select ctid from delivery where account_id = e.account_id and endpoint_id = e.id and event_id < $1
      order by account_id, endpoint_id, event_id limit $2 for update skip locked) d
    limit $2))
  returning 1 as gone`;

/** Gives up some deliveries whose events have expired; returns how many. */
export async function expireDeliveries(tx: Queryable, { eventsFromMs }: KeepLimits, limit: number): Promise<number> {
  return (await tx.query(DELIVERY_EXPIRE, [firstIdOfMs(eventsFromMs), limit])).length;
}
