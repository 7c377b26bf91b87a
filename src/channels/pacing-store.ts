import type { Queryable } from '../store/database.ts';

/** How many messages of one channel want a turn, and how far ahead a turn is of use. */
export interface PaceWish {
  accountId: string;
  channelId: string;
  messages: number;
  perSecond: number;
  horizonMs: number;
  /** How much of the time in which the channel was idle may be made up for. */
  savedMs: number;
}

/** The turns given: the first in `startMs` (which may be below 0, for one that has passed), and each further one a step later. */
export interface PaceGrant {
  channelId: string;
  startMs: number;
  turns: number;
}

const PACE_PREPARE = `
  insert into channel_pace (account_id, channel_id, next_at)
  select account_id, channel_id, now() - interval '1 hour' from unnest($1::uuid[], $2::uuid[]) as t(account_id, channel_id)
  order by account_id, channel_id
  on conflict do nothing`;

/** Nobody reserves so far ahead: longer than the longest deadline that a send may have. */
const AHEAD = "interval '150 seconds'";

/**
 * Reserves turns for all nodes together, on the database's clock. A channel that was idle may make up for no more time than the wish says, so
 * that the rate holds in every second. Only turns within the horizon are given, so that a wish that gets none takes nothing away from
 * others. A `next_at` further ahead than anybody reserves was written before the clock was set back; it is not believed, because it
 * would keep the channel from sending until then.
 */
const PACE_RESERVE = `
  with wanted as (
    select * from unnest($1::uuid[], $2::uuid[], $3::integer[], $4::integer[], $5::integer[], $6::integer[])
      as t(account_id, channel_id, messages, per_second, horizon_ms, saved_ms)
  ), locked as (
    select p.account_id, p.channel_id, w.messages, w.per_second, w.horizon_ms,
      greatest(case when p.next_at <= clock_timestamp() + ${AHEAD} then p.next_at end,
        clock_timestamp() - w.saved_ms * interval '1 millisecond') as start
    from wanted w
    join channel_pace p on p.account_id = w.account_id and p.channel_id = w.channel_id
    order by p.account_id, p.channel_id
    for update of p
  ), granted as (
    select *, greatest(0, least(messages, ceil(
      (extract(epoch from clock_timestamp() - start) + horizon_ms / 1000.0) * per_second)))::integer as turns
    from locked
  )
  update channel_pace p set next_at = g.start + g.turns * interval '1 second' / g.per_second
  from granted g
  where p.account_id = g.account_id and p.channel_id = g.channel_id
  returning p.channel_id as "channelId", g.turns,
    (extract(epoch from g.start - clock_timestamp()) * 1000)::float8 as "startMs"`;

/** One wish a channel. A channel's first wish makes its row. */
export async function reserveTurns(store: Queryable, wishes: readonly PaceWish[]): Promise<PaceGrant[]> {
  const values = [
    wishes.map(({ accountId }) => accountId),
    wishes.map(({ channelId }) => channelId),
    wishes.map(({ messages }) => messages),
    wishes.map(({ perSecond }) => perSecond),
    wishes.map(({ horizonMs }) => horizonMs),
    wishes.map(({ savedMs }) => savedMs),
  ];
  const grants = await store.query<PaceGrant>(PACE_RESERVE, values);
  if (grants.length === wishes.length) return grants;
  await store.query(PACE_PREPARE, values.slice(0, 2));
  const granted = new Set(grants.map(({ channelId }) => channelId));
  const left = wishes.filter(({ channelId }) => !granted.has(channelId));
  return [...grants, ...(await reserveTurns(store, left))];
}
