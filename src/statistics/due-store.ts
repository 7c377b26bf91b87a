import type { Queryable } from '../store/database.ts';
import type { Step } from './step.ts';

/** A minute of an account in which something has changed. */
export interface Minute {
  accountId: string;
  atMs: number;
}

/** Looks nothing up, and so waits for nobody and keeps nobody waiting. */
const MARK_INSERT = `
  insert into message_statistics_mark (account_id, minute_at) select * from unnest($1::uuid[], $2::timestamptz[])`;

export async function insertMarks(store: Queryable, minutes: readonly Minute[]): Promise<void> {
  await store.query(MARK_INSERT, [
    minutes.map(({ accountId }) => accountId),
    minutes.map(({ atMs }) => new Date(atMs)),
  ]);
}

/**
 * Makes what is marked due, each minute once however often it was marked. The update of a minute that is due already changes nothing
 * but locks it. So a count of it that is under way ends first, and the minute is inserted and counted again; or the count has
 * not begun yet, and will see what this mark stands for.
 * A new minute is counted again every few seconds, an old one the more seldom the older it is: so a message is counted some thirty
 * times in its first two hours at most, once an hour after that, and not once for every report of its neighbours.
 */
const MARK_COLLECT = `
  with marked as (
    delete from message_statistics_mark where ctid = any(array(
      select ctid from message_statistics_mark limit $1 for update skip locked))
    returning account_id, minute_at
  ), due as (
    insert into message_statistics_due as d (account_id, step, bucket_at, due_at)
    select account_id, 'minute'::statistics_step, minute_at,
      now() + least(interval '1 hour', greatest(interval '2 seconds', (now() - minute_at - interval '1 minute') / 2))
    from marked group by account_id, minute_at
    order by account_id, minute_at
    on conflict (account_id, step, bucket_at) do update set due_at = d.due_at
  )
  select count(*) as marks from marked`;

/** Returns how many marks there were. */
export async function collectMarks(store: Queryable, limit: number): Promise<number> {
  return (await store.query<{ marks: number }>(MARK_COLLECT, [limit]))[0]?.marks ?? 0;
}

/** Any number of nodes may count at once: each takes other buckets. The rows come back if the transaction is not committed. */
const DUE_CLAIM = `
  delete from message_statistics_due where ctid = any(array(
    select ctid from message_statistics_due where due_at <= now() and step = $1
    order by due_at limit $2 for update skip locked))
  returning account_id, bucket_at, now() as at`;

/** What is to be counted again. */
export interface DueBucket {
  account_id: string;
  bucket_at: Date;
}

/** `at` is the database's time. */
export function claimDue(tx: Queryable, step: Step, limit: number): Promise<(DueBucket & { at: Date })[]> {
  return tx.query<DueBucket & { at: Date }>(DUE_CLAIM, [step, limit]);
}

/** Only a minute waits, and for an hour at most. One that waits for longer was made due before the database's clock was set back. */
const DUE_HASTEN = `
  update message_statistics_due set due_at = now() where ctid = any(array(
    select ctid from message_statistics_due where step = 'minute' and due_at > now() + interval '1 hour'
    limit 5000 for update skip locked))
  returning 1 as hastened`;

/** Makes some due that wait for a time of a clock that was wrong; returns how many. */
export async function hastenDue(store: Queryable): Promise<number> {
  return (await store.query(DUE_HASTEN)).length;
}

/** Due at once. What is due already is locked, for the reason given at `MARK_COLLECT`. */
const DUE_INSERT = `
  insert into message_statistics_due as d (account_id, step, bucket_at, due_at)
  select account_id, $3::statistics_step, bucket_at, now() from unnest($1::uuid[], $2::timestamptz[]) as b(account_id, bucket_at)
  group by account_id, bucket_at order by account_id, bucket_at
  on conflict (account_id, step, bucket_at) do update set due_at = least(d.due_at, excluded.due_at)`;

export async function makeDue(tx: Queryable, step: Step, buckets: readonly DueBucket[]): Promise<void> {
  const accountIds = buckets.map(({ account_id }) => account_id);
  await tx.query(DUE_INSERT, [accountIds, buckets.map(({ bucket_at }) => bucket_at), step]);
}

/**
 * One node at a time sweeps; the others find the row locked, or `swept_until` moved on. A `swept_until` that lies ahead was written before
 * the database's clock was set back: then the last look was as long ago as it may be.
 */
const SWEEP_CLAIM = `
  select least(swept_until, now() - make_interval(secs => $1)) as swept_until from message_statistics_sweep
  where swept_until <= now() - make_interval(secs => $1) or swept_until > now() + interval '1 minute'
  for update skip locked`;

/**
 * Marks every minute since $1 in which a message was made. The minute is read from the id, which begins with the
 * milliseconds since 1970 in 48 bits. The `order by` is there for the plan, as in `MESSAGE_COUNT`.
 */
const SWEEP_MARK = `
  insert into message_statistics_mark (account_id, minute_at)
  select a.id, to_timestamp(m.minute * 60) from account a
  cross join lateral (
    select distinct ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 60000 as minute
    from (
      select id from message
      where account_id = a.id and id >= uuid_bound(greatest('1970-01-01Z', $1::timestamptz))
      order by account_id, id) as made) m`;

const SWEEP_FINISH = 'update message_statistics_sweep set swept_until = now()';

/** Looks for messages that nobody has marked, if the last look is `everySeconds` ago: from `overlapSeconds` before it on. */
export async function sweepMessages(tx: Queryable, everySeconds: number, overlapSeconds: number): Promise<void> {
  const [claimed] = await tx.query<{ swept_until: Date }>(SWEEP_CLAIM, [everySeconds]);
  if (claimed === undefined) return;
  await tx.query(SWEEP_MARK, [new Date(claimed.swept_until.getTime() - overlapSeconds * 1_000)]);
  await tx.query(SWEEP_FINISH);
}
