import type { Client } from 'pg';
import type { Schedule } from './schedule.ts';

/** Every block has the same counts, so a bucket has a number of blocks times these. */
const BUCKETS = `
  insert into message_statistics (account_id, mode, step, bucket_at, accepted, sent, delivered, read, failed, unknown,
    received, failures, delivery_times)
  select account_id, mode, $1::statistics_step, bucket_at, n * $2, n * $3, n * $4, n * $5, n * $6, 0, n * $7,
    (select jsonb_object_agg(key, value::integer * n) from jsonb_each_text($8)),
    array(select value * n from unnest($9::integer[]) with ordinality as t(value, place) order by place)
  from (
    select account_id, mode, date_trunc($1::text, at at time zone 'UTC') at time zone 'UTC' as bucket_at, count(*)::integer as n
    from fill.block group by 1, 2, 3) as made
  order by account_id, mode, bucket_at
  on conflict do nothing`;

/** Minutes that were counted before are counted again by the gateway, with the hours and days that they belong to. */
const COUNTED_BEFORE = `
  insert into message_statistics_mark (account_id, minute_at)
  select distinct account_id, bucket_at from message_statistics where step = 'minute'`;

/** Says that everything until then is counted. */
const SWEPT = 'update message_statistics_sweep set swept_until = $1';

/** Counts the messages of every minute, hour and day. */
export async function writeCounts(client: Client, { block: { counts } }: Schedule, nowMs: number): Promise<number> {
  const { accepted, sent, delivered, read, failed, received, failures, deliveryTimes } = counts;
  const values = [accepted, sent, delivered, read, failed, received, JSON.stringify(failures), deliveryTimes];
  let rows = (await client.query(COUNTED_BEFORE)).rowCount ?? 0;
  for (const step of ['minute', 'hour', 'day']) rows += (await client.query(BUCKETS, [step, ...values])).rowCount ?? 0;
  await client.query(SWEPT, [new Date(nowMs)]);
  await client.query('vacuum (freeze, analyze) message_statistics');
  return rows;
}
