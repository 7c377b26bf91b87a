import { newId } from '../kernel/ids.ts';
import type { Mode } from '../kernel/principal.ts';
import type { Queryable } from '../store/database.ts';
import type { EventDraft } from './event.ts';

/**
 * Numbers and records events, and enqueues their deliveries to every enabled endpoint that wants them, in the caller's
 * transaction. The counters are locked in one order everywhere. To be called last in a transaction, because from here to
 * the commit all other writers of the same account wait.
 */
export const EVENT_APPEND = `
  with drafts as (
    select * from unnest($1::uuid[], $2::mode[], $3::uuid[], $4::text[], $5::jsonb[], $6::text[]) with ordinality
      as t(account_id, mode, id, type, data, traceparent, place)
  ), counted as (
    select account_id, mode, count(*) as events from drafts group by account_id, mode order by account_id, mode
  ), numbered as (
    insert into event_sequence as s (account_id, mode, last)
    select account_id, mode, events from counted order by account_id, mode
    on conflict (account_id, mode) do update set last = s.last + excluded.last
    returning account_id, mode, last
  ), recorded as (
    insert into event (account_id, id, mode, sequence, type, data, traceparent, at)
    select d.account_id, d.id, d.mode,
      n.last - c.events + row_number() over (partition by d.account_id, d.mode order by d.place),
      d.type, d.data, d.traceparent, clock_timestamp()
    from drafts d
    join counted c on c.account_id = d.account_id and c.mode = d.mode
    join numbered n on n.account_id = d.account_id and n.mode = d.mode
    returning account_id, id, mode, type
  )
  insert into delivery (account_id, endpoint_id, event_id)
  select r.account_id, e.id, r.id
  from recorded r
  join endpoint e on e.account_id = r.account_id and e.mode = r.mode and e.enabled
    and (e.types is null or r.type = any(e.types))`;

export async function appendEvents(tx: Queryable, drafts: readonly EventDraft[]): Promise<void> {
  if (drafts.length === 0) return;
  await tx.query(EVENT_APPEND, [
    drafts.map(({ accountId }) => accountId),
    drafts.map(({ mode }) => mode),
    drafts.map(() => newId()),
    drafts.map(({ type }) => type),
    drafts.map(({ data }) => JSON.stringify(data)),
    drafts.map(({ traceparent }) => traceparent),
  ]);
}

export interface EventRow {
  id: string;
  account_id: string;
  sequence: number;
  type: string;
  /** JSON, as the database writes it. */
  data: string;
  traceparent: string | null;
  at: Date;
}

/** The data as a text, because most of it goes on as it is. */
const COLUMNS = 'id, account_id, sequence, type, data::text as data, traceparent, at';

/** Up to it a log has expired. What is still stored of that is shown no more, so that a reader never meets a gap. */
const EXPIRED = 'coalesce((select expired from event_sequence where account_id = $1 and mode = $2), 0)';

const EVENT_LIST = `
  select ${COLUMNS} from event
  where account_id = $1 and mode = $2 and sequence > greatest($3, ${EXPIRED}) and ($4::text[] is null or type = any($4))
  order by sequence limit $5`;

/** Events after a number, in their order. `types` null: all. */
export function listEvents(
  store: Queryable,
  accountId: string,
  mode: Mode,
  after: number,
  types: readonly string[] | null,
  limit: number,
): Promise<EventRow[]> {
  return store.query<EventRow>(EVENT_LIST, [accountId, mode, after, types, limit]);
}

const EVENT_BOUNDS = `
  select coalesce((select last from event_sequence where account_id = $1 and mode = $2), 0) as latest,
         (select sequence from event
          where account_id = $1 and mode = $2 and sequence > ${EXPIRED} order by sequence limit 1) as oldest`;

/** The first number that is still kept (null: none is) and the last one given (0: none was). */
export async function findBounds(
  store: Queryable,
  accountId: string,
  mode: Mode,
): Promise<{ latest: number; oldest: number | null }> {
  const [row] = await store.query<{ latest: number; oldest: number | null }>(EVENT_BOUNDS, [accountId, mode]);
  return row ?? { latest: 0, oldest: null };
}

const EVENT_LATEST = `
  select s.account_id, s.mode, s.last from event_sequence s
  join unnest($1::uuid[], $2::mode[]) as wanted(account_id, mode)
    on s.account_id = wanted.account_id and s.mode = wanted.mode`;

/** The last number of several logs at once, by account and mode. */
export async function findLatest(
  store: Queryable,
  logs: readonly { accountId: string; mode: Mode }[],
): Promise<Map<string, number>> {
  const distinct = [...new Map(logs.map((log) => [`${log.accountId} ${log.mode}`, log])).values()];
  const rows = await store.query<{ account_id: string; mode: Mode; last: number }>(EVENT_LATEST, [
    distinct.map(({ accountId }) => accountId),
    distinct.map(({ mode }) => mode),
  ]);
  return new Map(rows.map((row) => [`${row.account_id} ${row.mode}`, row.last]));
}

const EVENT_FIND = `
  select ${COLUMNS} from event where account_id = $1 and mode = $2 and id = $3 and sequence > ${EXPIRED}`;

export async function findEvent(
  store: Queryable,
  accountId: string,
  mode: Mode,
  id: string,
): Promise<EventRow | undefined> {
  return (await store.query<EventRow>(EVENT_FIND, [accountId, mode, id]))[0];
}
