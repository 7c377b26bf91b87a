import type { Mode } from '../kernel/principal.ts';
import type { Queryable } from '../store/database.ts';

/** A log of events, named by its account and mode. */
export interface LogRow {
  account_id: string;
  mode: Mode;
}

/** What a look at the oldest events of a log has found. */
export interface LogAge extends LogRow {
  /** The last number that is past its time; null: none of those looked at is. */
  expired: number | null;
  /** How many were looked at if all of them have expired, so that there may be more; 0: the first one that has not was found. */
  looked_at: number;
}

/**
 * How far some logs have expired: up to the event before the first one that has not expired, so that a log has no gap even if the
 * clock jumped. Events that had expired before are not looked at again, and none behind the first one that has not: every log is
 * looked at each hour, and what is about to expire has long gone from the memory of the database.
 */
const EVENT_EXPIRED = `
  with logs as (
    select account_id, mode, expired from event_sequence
    where (account_id, mode) > ($1::uuid, $2::mode) order by account_id, mode limit $3
  )
  select l.account_id, l.mode, nullif(coalesce(kept.sequence - 1, gone.last), l.expired) as expired, gone.looked_at from logs l
  left join lateral (
    select sequence from (
      select sequence, at from event e where e.account_id = l.account_id and e.mode = l.mode and e.sequence > l.expired
      order by e.sequence limit $5) as first
    where at >= $4 order by sequence limit 1
  ) as kept on true
  cross join lateral (
    select max(sequence) as last, count(*) as looked_at from (
      select sequence from event e where e.account_id = l.account_id and e.mode = l.mode
        and e.sequence > case when kept.sequence is null then l.expired end
      order by e.sequence limit $5) as first
  ) as gone
  order by l.account_id, l.mode`;

/** How many logs, and how many events of each, one look takes. */
export interface LookLimits {
  logs: number;
  eventsALog: number;
}

/** Looks at the logs after one, in their order. */
export function findExpiredEvents(
  tx: Queryable,
  after: LogRow,
  eventsFromMs: number,
  { logs, eventsALog }: LookLimits,
): Promise<LogAge[]> {
  return tx.query<LogAge>(EVENT_EXPIRED, [after.account_id, after.mode, logs, new Date(eventsFromMs), eventsALog]);
}

/**
 * The counters are locked in the order in which those who number events lock them. They wait for this transaction's commit, so
 * nothing that takes long may follow.
 */
const LOG_EXPIRE = `
  with counters as materialized (
    select s.account_id, s.mode, t.expired from unnest($1::uuid[], $2::mode[], $3::bigint[]) as t(account_id, mode, expired)
    join event_sequence s on s.account_id = t.account_id and s.mode = t.mode
    order by s.account_id, s.mode for update of s
  )
  update event_sequence s set expired = greatest(s.expired, c.expired) from counters c
  where s.account_id = c.account_id and s.mode = c.mode`;

/** Hides what has expired. */
export async function expireLogs(tx: Queryable, logs: readonly LogAge[]): Promise<void> {
  await tx.query(LOG_EXPIRE, [
    logs.map(({ account_id }) => account_id),
    logs.map(({ mode }) => mode),
    logs.map(({ expired }) => expired),
  ]);
}
