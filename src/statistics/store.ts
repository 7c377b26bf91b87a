import type { Mode, Owner } from '../kernel/principal.ts';
import type { Queryable } from '../store/database.ts';
import type { Counts } from './counts.ts';
import type { Range, Step } from './step.ts';

/** What is kept of a bucket's messages. */
export interface KeptCounts extends Omit<Counts, 'deliveryTimes'> {
  delivery_times: number[];
}

/** What is kept, in the form that adds up. */
export function countsOf(kept: KeptCounts): Counts {
  const { accepted, sent, delivered, read, failed, unknown, received, failures } = kept;
  return { accepted, sent, delivered, read, failed, unknown, received, failures, deliveryTimes: kept.delivery_times };
}

/** A bucket of an account and mode. */
export interface BucketRow extends KeptCounts {
  bucket_at: Date;
  computed_at: Date;
}

const COUNTS = 'accepted, sent, delivered, read, failed, unknown, received, failures';
export const COUNTED = `${COUNTS}, delivery_times`;
/** As they are read. The times come as JSON: the driver takes ten times as long to read an array of PostgreSQL. */
export const READ_COUNTED = `${COUNTS}, array_to_json(delivery_times) as delivery_times`;

/** At most some hundred rows in the order of the key, however many messages they count. */
const STATISTICS_READ = `
  select bucket_at, ${READ_COUNTED}, computed_at from message_statistics
  where account_id = $1 and mode = $2 and step = $3 and bucket_at >= $4 and bucket_at < $5`;

export function readBuckets(store: Queryable, accountId: string, mode: Mode, range: Range): Promise<BucketRow[]> {
  const { step, sinceMs, untilMs } = range;
  return store.query<BucketRow>(STATISTICS_READ, [accountId, mode, step, new Date(sinceMs), new Date(untilMs)]);
}

/** What is kept of one bucket. */
export interface CountedBucket extends Owner {
  step: Step;
  bucketMs: number;
  counts: Counts;
}

const STATISTICS_WRITE = `
  insert into message_statistics (account_id, mode, step, bucket_at, ${COUNTED})
  select account_id, mode, step, bucket_at, ${COUNTS}, delivery_times::integer[]
  from unnest($1::uuid[], $2::mode[], $3::statistics_step[], $4::timestamptz[], $5::integer[], $6::integer[],
    $7::integer[], $8::integer[], $9::integer[], $10::integer[], $11::integer[], $12::jsonb[], $13::text[])
    as b(account_id, mode, step, bucket_at, ${COUNTED})
  order by account_id, mode, step, bucket_at
  on conflict (account_id, mode, step, bucket_at) do update set
    accepted = excluded.accepted, sent = excluded.sent, delivered = excluded.delivered, read = excluded.read,
    failed = excluded.failed, unknown = excluded.unknown, received = excluded.received,
    failures = excluded.failures, delivery_times = excluded.delivery_times, computed_at = excluded.computed_at`;

/** Puts the buckets in the place of what was kept of them. */
export async function writeBuckets(tx: Queryable, buckets: readonly CountedBucket[]): Promise<void> {
  if (buckets.length === 0) return;
  const column = <Value>(read: (bucket: CountedBucket) => Value) => buckets.map(read);
  await tx.query(STATISTICS_WRITE, [
    column(({ accountId }) => accountId),
    column(({ mode }) => mode),
    column(({ step }) => step),
    column(({ bucketMs }) => new Date(bucketMs)),
    column(({ counts }) => counts.accepted),
    column(({ counts }) => counts.sent),
    column(({ counts }) => counts.delivered),
    column(({ counts }) => counts.read),
    column(({ counts }) => counts.failed),
    column(({ counts }) => counts.unknown),
    column(({ counts }) => counts.received),
    column(({ counts }) => JSON.stringify(counts.failures)),
    // Arrays in an array must be of one length in PostgreSQL, so these travel as texts.
    column(({ counts }) => `{${counts.deliveryTimes.join(',')}}`),
  ]);
}
