import { newId } from '../kernel/ids.ts';
import type { Mode, Owner } from '../kernel/principal.ts';
import type { Queryable, Transaction } from '../store/database.ts';
import type { EventDraft } from './event.ts';
import { traceparentsOf } from './on-append.ts';

/** Locks the counters from here to the commit, in one order everywhere. */
const EVENT_NUMBER = `
  insert into event_sequence as s (account_id, mode, last)
  select account_id, mode, events from unnest($1::uuid[], $2::mode[], $3::bigint[]) as t(account_id, mode, events)
  order by account_id, mode
  on conflict (account_id, mode) do update set last = s.last + excluded.last
  returning account_id, mode, last`;

/**
 * A statement of its own, because a statement sees what was committed when it began: an endpoint that was created while this
 * writer waited for its counters gets the events that are numbered afterwards.
 */
const EVENT_APPEND = `
  with recorded as (
    insert into event (account_id, id, mode, sequence, type, data, traceparent, at)
    select account_id, id, mode, sequence, type, data, traceparent, clock_timestamp()
    from unnest($1::uuid[], $2::mode[], $3::uuid[], $4::text[], $5::jsonb[], $6::text[], $7::bigint[]) with ordinality
      as t(account_id, mode, id, type, data, traceparent, sequence, place)
    order by place
    returning account_id, id, mode, type
  )
  insert into delivery (account_id, endpoint_id, event_id)
  select r.account_id, e.id, r.id
  from recorded r
  join endpoint e on e.account_id = r.account_id and e.mode = r.mode and e.enabled
    and (e.types is null or r.type = any(e.types))`;

/** A log of events as one text, to know it by. */
export const keyOfLog = ({ accountId, mode }: Owner) => `${accountId} ${mode}`;

/**
 * Numbers and records events, and enqueues their deliveries to every enabled endpoint that wants them. To be called last in
 * a transaction, because from here to the commit all other writers of the same account wait.
 */
export async function appendEvents(tx: Transaction, drafts: readonly EventDraft[]): Promise<void> {
  if (drafts.length === 0) return;
  const nextNumbers = await takeNumbers(tx, drafts);
  const sequences = drafts.map((draft) => {
    const next = nextNumbers.get(keyOfLog(draft));
    if (next === undefined) throw new Error('An event log that was counted on gave no number');
    nextNumbers.set(keyOfLog(draft), next + 1);
    return next;
  });
  await tx.query(EVENT_APPEND, [
    drafts.map(({ accountId }) => accountId),
    drafts.map(({ mode }) => mode),
    drafts.map(() => newId()),
    drafts.map(({ type }) => type),
    drafts.map(({ data }) => JSON.stringify(data)),
    traceparentsOf(tx, drafts),
    sequences,
  ]);
}

/** The first number of the drafts in each log. */
async function takeNumbers(tx: Transaction, drafts: readonly EventDraft[]): Promise<Map<string, number>> {
  const byLog = Map.groupBy(drafts, keyOfLog);
  const logs = [...byLog.values()].flatMap(([first]) => first ?? []);
  const counts = [...byLog.values()].map((group) => group.length);
  const rows = await tx.query<{ account_id: string; mode: Mode; last: number }>(EVENT_NUMBER, [
    logs.map(({ accountId }) => accountId),
    logs.map(({ mode }) => mode),
    counts,
  ]);
  return new Map(
    rows.map(({ account_id: accountId, mode, last }) => {
      const key = keyOfLog({ accountId, mode });
      return [key, last - (byLog.get(key)?.length ?? 0) + 1];
    }),
  );
}

/**
 * Waits for the writers of a log that have their numbers already, and holds back the others until the commit: so what is
 * numbered after it meets the endpoints as they are now. To be called last in a transaction, as `appendEvents` is.
 */
export async function holdEventLog(tx: Transaction, { accountId, mode }: Owner): Promise<void> {
  await tx.query(EVENT_NUMBER, [[accountId], [mode], [0]]);
}

export interface EventRow {
  id: string;
  account_id: string;
  sequence: number;
  type: string;
  /** JSON, as the database writes it. */
  data: string;
  /** When it was recorded, in milliseconds: to read a date costs more than all other columns together. */
  at_ms: number;
}

/** An event of a list, in which the data of a large one are not read yet (null): a hundred of them might have 400 MB. */
export interface ListedEventRow extends Omit<EventRow, 'data'> {
  data: string | null;
}

/** When an event was recorded, as `at_ms`. */
export const AT_MS = 'floor(extract(epoch from at) * 1000)::bigint as at_ms';
/** The data as a text, because most of it goes on as it is. */
const COLUMNS = `id, account_id, sequence, type, data::text as data, ${AT_MS}`;

/**
 * The data as a text unless they are large; null then. What the database has compressed may be a hundred times as large as a text. Little
 * is, so the text is measured only then.
 */
export const DATA_IF_SMALL = `case when pg_column_size(data) <= 8192
    and (pg_column_compression(data) is null or octet_length(data::text) <= 65536) then data::text end`;

const LISTED_COLUMNS = `
  id, account_id, sequence, type, ${DATA_IF_SMALL} as data,
  ${AT_MS}`;

/**
 * The log of the account $1 and mode $2 has expired up to this number. What is still stored of it is not shown, so that a
 * reader never meets a gap.
 */
export const EXPIRED = 'coalesce((select expired from event_sequence where account_id = $1 and mode = $2), 0)';

const EVENT_LIST = `
  select ${LISTED_COLUMNS} from event
  where account_id = $1 and mode = $2 and sequence > greatest($3, ${EXPIRED}) order by sequence limit $4`;

/** Each type is read by itself, in the order of its index; otherwise a rare type would cost a read of the whole log. */
const EVENT_LIST_OF_TYPES = `
  select ${LISTED_COLUMNS} from unnest($5::text[]) as wanted(wanted_type)
  cross join lateral (
    select id, account_id, sequence, type, data, at from event
    where account_id = $1 and mode = $2 and type = wanted_type and sequence > greatest($3, ${EXPIRED})
    order by sequence limit $4) of_type
  order by sequence limit $4`;

/** What a reader wants of a log. */
export interface ReadWish extends Owner {
  /** The first event is the one after this number. */
  after: number;
  /** null: all. */
  types: readonly string[] | null;
  limit: number;
}

/** Events after a number, in their order. What is left out of them is read with `findEvent`. */
export function listEvents(store: Queryable, wish: ReadWish): Promise<ListedEventRow[]> {
  const { accountId, mode, after, types, limit } = wish;
  const values = [accountId, mode, after, limit];
  if (types === null) return store.query<ListedEventRow>(EVENT_LIST, values);
  return store.query<ListedEventRow>(EVENT_LIST_OF_TYPES, [...values, [...new Set(types)]]);
}

const EVENT_OLDEST = `
  select sequence from event where account_id = $1 and mode = $2 and sequence > ${EXPIRED} order by sequence limit 1`;

/** The first number that is still kept; undefined: none is. */
export async function findOldest(store: Queryable, { accountId, mode }: Owner): Promise<number | undefined> {
  return (await store.query<{ sequence: number }>(EVENT_OLDEST, [accountId, mode]))[0]?.sequence;
}

const EVENT_LATEST = `
  select s.account_id, s.mode, s.last from event_sequence s
  join unnest($1::uuid[], $2::mode[]) as wanted(account_id, mode)
    on s.account_id = wanted.account_id and s.mode = wanted.mode`;

/** Finds the last number of several logs at once. Returns what tells it of each of them; 0: none was given. */
export async function findLatest(store: Queryable, logs: readonly Owner[]): Promise<(log: Owner) => number> {
  const distinct = [...new Map(logs.map((log) => [keyOfLog(log), log])).values()];
  const rows = await store.query<{ account_id: string; mode: Mode; last: number }>(EVENT_LATEST, [
    distinct.map(({ accountId }) => accountId),
    distinct.map(({ mode }) => mode),
  ]);
  const latest = new Map(rows.map(({ account_id: accountId, mode, last }) => [keyOfLog({ accountId, mode }), last]));
  return (log) => latest.get(keyOfLog(log)) ?? 0;
}

/** By its id first: with both conditions in one, the planner may read the log by its numbers for it. */
const EVENT_FIND = `
  select ${COLUMNS} from (select * from event where account_id = $1 and id = $3 limit 1) one
  where mode = $2 and sequence > ${EXPIRED}`;

export async function findEvent(
  store: Queryable,
  { accountId, mode }: Owner,
  id: string,
): Promise<EventRow | undefined> {
  return (await store.query<EventRow>(EVENT_FIND, [accountId, mode, id]))[0];
}

const EVENT_KEPT = `
  select id from (select id, mode, sequence from event where account_id = $1 and id = $3 limit 1) one
  where mode = $2 and sequence > ${EXPIRED}`;

/** Whether it is there, without its data, which may be large. */
export async function isKept(store: Queryable, { accountId, mode }: Owner, id: string): Promise<boolean> {
  return (await store.query(EVENT_KEPT, [accountId, mode, id])).length > 0;
}
