import type { Queryable } from '../../store/database.ts';
import type { StatementPart } from '../../store/statement-part.ts';
import type { EndpointKey } from '../store.ts';

export interface AttemptRow {
  id: string;
  event_id: string;
  type: string;
  number: number;
  at: Date;
  outcome: 'succeeded' | 'failed';
  http_status: number | null;
  error: string | null;
  duration_ms: number;
  answer: string | null;
  next_at: Date | null;
}

/** `waitMs` null: there is no next one. */
export type NewAttempt = Omit<AttemptRow, 'next_at'> & {
  account_id: string;
  endpoint_id: string;
  waitMs: number | null;
};

const ATTEMPT_INSERT = `
  insert into attempt (account_id, id, endpoint_id, event_id, type, number, at, outcome, http_status, error, duration_ms,
    answer, next_at)
  select account_id, id, endpoint_id, event_id, type, number, at, outcome, http_status, error, duration_ms, answer,
    now() + wait_ms * interval '1 millisecond'
  from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::integer[], $7::timestamptz[], $8::text[],
    $9::integer[], $10::text[], $11::integer[], $12::text[], $13::bigint[])
    as t(account_id, id, endpoint_id, event_id, type, number, at, outcome, http_status, error, duration_ms, answer, wait_ms)`;

/** Writes attempts down, as a part of the caller's statement. */
export function attemptsPart(attempts: readonly NewAttempt[]): StatementPart {
  return { ctes: [`attempted as (${ATTEMPT_INSERT})`], result: undefined, values: attemptValues(attempts) };
}

export async function insertAttempts(tx: Queryable, attempts: readonly NewAttempt[]): Promise<void> {
  await tx.query(ATTEMPT_INSERT, attemptValues(attempts));
}

function attemptValues(attempts: readonly NewAttempt[]): unknown[] {
  return [
    attempts.map(({ account_id }) => account_id),
    attempts.map(({ id }) => id),
    attempts.map(({ endpoint_id }) => endpoint_id),
    attempts.map(({ event_id }) => event_id),
    attempts.map(({ type }) => type),
    attempts.map(({ number }) => number),
    attempts.map(({ at }) => at),
    attempts.map(({ outcome }) => outcome),
    attempts.map(({ http_status }) => http_status),
    attempts.map(({ error }) => error),
    attempts.map(({ duration_ms }) => duration_ms),
    attempts.map(({ answer }) => answer),
    attempts.map(({ waitMs }) => waitMs),
  ];
}

export interface AttemptFilter {
  eventId: string | null;
  outcome: AttemptRow['outcome'] | null;
  before: string | null;
  /** What is older has expired. */
  from: string;
}

const COLUMNS = 'id, event_id, type, number, at, outcome, http_status, error, duration_ms, answer, next_at';

/** Each filter has a text of its own, so that its index is used whatever plan is kept. */
const attemptList = (filter: string) => `
  select ${COLUMNS} from attempt
  where account_id = $1 and endpoint_id = $2 and ($3::uuid is null or id < $3) and id >= $5 and ${filter}
  order by id desc limit $4`;
const ATTEMPT_LISTS = { succeeded: attemptList("outcome = 'succeeded'"), failed: attemptList("outcome = 'failed'") };
/** The index has the order of each outcome, and none of both. */
const ATTEMPT_LIST = `(${ATTEMPT_LISTS.succeeded}) union all (${ATTEMPT_LISTS.failed}) order by id desc limit $4`;
/**
 * An event has few, and they are looked up first. Else the plan may go by the order of the page, as it does in a young week, and
 * read all attempts at the endpoint. Only those of the page are read with their answers: one that was replayed again and again may
 * have a hundred thousand, and to keep all of them took three times as long, and 40 MB of the disk.
 */
const ATTEMPT_LIST_OF_EVENT = `
  with of_event as materialized (select id, endpoint_id, outcome from attempt where account_id = $1 and event_id = $6),
  page as materialized (
    select id from of_event
    where endpoint_id = $2 and ($3::uuid is null or id < $3) and id >= $5 and ($7::text is null or outcome = $7)
    order by id desc limit $4)
  select ${COLUMNS} from (
    select a.* from page cross join lateral (select * from attempt where account_id = $1 and id = page.id offset 0) a) paged
  order by id desc`;

/** A page of the attempts at an endpoint, newest first. */
export function listAttempts(
  store: Queryable,
  { accountId, id }: Pick<EndpointKey, 'accountId' | 'id'>,
  { eventId, outcome, before, from }: AttemptFilter,
  limit: number,
): Promise<AttemptRow[]> {
  const values = [accountId, id, before, limit, from];
  if (eventId !== null) return store.query<AttemptRow>(ATTEMPT_LIST_OF_EVENT, [...values, eventId, outcome]);
  return store.query<AttemptRow>(outcome === null ? ATTEMPT_LIST : ATTEMPT_LISTS[outcome], values);
}
