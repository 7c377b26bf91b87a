import { firstIdOfMs } from '../kernel/ids.ts';
import type { Mode } from '../kernel/principal.ts';
import type { Queryable } from '../store/database.ts';
import type { MessageGroup } from './counts.ts';
import { DELIVERY_TIME_BOUNDS_MS } from './delivery-times.ts';
import type { DueBucket } from './due-store.ts';
import { STEP_MS, type Step } from './step.ts';
import { COUNTED, type KeptCounts, READ_COUNTED } from './store.ts';

/** Which of the buckets that were asked for, by its place, and of which mode. */
interface Placed {
  place: number;
  mode: Mode;
}

/**
 * Counts the messages of each minute, those that are alike together. Ids begin with their time, so a minute is one range of the
 * primary key. The `order by` keeps it to that key: a plan made while the week was empty might take another index, for ever.
 * Whether the provider had taken a message that failed is told by its outcome, which reports leave alone: `failed` means that it
 * had not. The outcome `unknown` may mean either. If the provider refused the message after the send was answered, the message
 * has no provider's id, and was not taken; a report would have brought the id. An erased message has lost its id, so that nobody
 * can tell any more, and it counts as taken.
 */
const MESSAGE_COUNT = `
  select b.place::integer as place, m.mode, m.status, m.taken, m.code, m.time, m.count
  from unnest($1::uuid[], $2::uuid[], $3::uuid[]) with ordinality as b(account_id, first_id, end_id, place)
  cross join lateral (
    select mode, status,
      status in ('accepted', 'sent', 'delivered', 'read')
        or (status = 'failed' and outcome is distinct from 'failed' and not refused_late) as taken,
      case when status = 'failed' then error->>'code' end as code,
      width_bucket(to_delivery_ms, $4::integer[]) as time, count(*) as count
    from (
      select mode, status, outcome, error, to_delivery_ms, outcome is not distinct from 'unknown'
        and provider_message_id is null and coalesce(phone, user_id) is not null as refused_late
      from message
      where account_id = b.account_id and id >= b.first_id and id < b.end_id
        and status not in ('pending', 'transmitting')
      order by account_id, id) as made
    group by 1, 2, 3, 4, 5) m`;

export function countMessages(tx: Queryable, minutes: readonly DueBucket[]): Promise<(Placed & MessageGroup)[]> {
  return tx.query<Placed & MessageGroup>(MESSAGE_COUNT, [
    minutes.map(({ account_id }) => account_id),
    minutes.map(({ bucket_at }) => firstIdOfMs(bucket_at.getTime())),
    minutes.map(({ bucket_at }) => firstIdOfMs(bucket_at.getTime() + STEP_MS.minute)),
    DELIVERY_TIME_BOUNDS_MS,
  ]);
}

/**
 * What is kept of the smaller steps within each of these buckets. Each is a range of the primary key, looked up by itself:
 * a join was planned to read that step of all accounts there are.
 */
const STATISTICS_PARTS = `
  select b.place::integer as place, s.mode, ${COUNTED}
  from unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[]) with ordinality as b(account_id, since, until, place)
  cross join unnest(array['live', 'test']::mode[]) as of(mode)
  cross join lateral (
    select mode, ${READ_COUNTED} from message_statistics
    where account_id = b.account_id and mode = of.mode and step = $4 and bucket_at >= b.since and bucket_at < b.until
    order by account_id, mode, step, bucket_at offset 0) s`;

export function readParts(
  tx: Queryable,
  step: Step,
  buckets: readonly DueBucket[],
  partStep: Step,
): Promise<(Placed & KeptCounts)[]> {
  return tx.query<Placed & KeptCounts>(STATISTICS_PARTS, [
    buckets.map(({ account_id }) => account_id),
    buckets.map(({ bucket_at }) => bucket_at),
    buckets.map(({ bucket_at }) => new Date(bucket_at.getTime() + STEP_MS[step])),
    partStep,
  ]);
}
