import type { Mode } from '../kernel/principal.ts';
import type { Database, Queryable } from '../store/database.ts';
import { countMessages, readParts } from './count-store.ts';
import { addCounts, addGroup, type Counts, noCounts } from './counts.ts';
import { claimDue, type DueBucket, makeDue } from './due-store.ts';
import { bucketOf, type Step } from './step.ts';
import { type CountedBucket, countsOf, writeBuckets } from './store.ts';

/** Few enough that a batch of the busiest minutes is counted within seconds. */
const BUCKETS_A_BATCH = 20;
/** A batch of minutes with a million messages each is still counted in this time. */
const STATEMENT_TIMEOUT_MS = 300_000;

/** Longer than any counting takes: what is counted is not deleted meanwhile. */
const FROZEN_BEFORE_MS = 3_600_000;

const SMALLER: Record<Step, Step | undefined> = { minute: undefined, hour: 'minute', day: 'hour' };
const LARGER: Record<Step, Step | undefined> = { minute: 'hour', hour: 'day', day: undefined };

/**
 * Counts some of the buckets of a step that are due, and makes those due that they are part of; all in one transaction, so
 * that a crash leaves them due. Returns how many there were. What is counted is read by statements that begin after the
 * claim, and so see all that was marked before it. Minutes from which messages may have been deleted, which are those before
 * `keptFromMs` at this time of the database, stay as they were counted last.
 */
export function countDue(database: Database, step: Step, keptFromMs: (atMs: number) => number): Promise<number> {
  return database.transaction(
    async (tx) => {
      const claimed = await claimDue(tx, step, BUCKETS_A_BATCH);
      const smaller = SMALLER[step];
      const due =
        smaller === undefined ? claimed.filter((minute) => isKept(minute, keptFromMs(minute.at.getTime()))) : claimed;
      if (due.length === 0) return claimed.length;
      const sums = smaller === undefined ? await sumMessages(tx, due) : await sumParts(tx, step, due, smaller);
      await writeBuckets(tx, bucketsOf(step, due, sums));
      const larger = LARGER[step];
      if (larger !== undefined)
        await makeDue(
          tx,
          larger,
          due.map((bucket) => enclosing(bucket, larger)),
        );
      return claimed.length;
    },
    { statementTimeoutMs: STATEMENT_TIMEOUT_MS },
  );
}

function isKept({ bucket_at }: DueBucket, keptFromMs: number): boolean {
  return bucket_at.getTime() >= keptFromMs + FROZEN_BEFORE_MS;
}

/** By the bucket's place, from 1 on, and by mode. */
type Sums = Map<number, Map<Mode, Counts>>;

async function sumMessages(tx: Queryable, due: readonly DueBucket[]): Promise<Sums> {
  const sums: Sums = new Map();
  for (const group of await countMessages(tx, due)) addGroup(sumOf(sums, group), group);
  return sums;
}

async function sumParts(tx: Queryable, step: Step, due: readonly DueBucket[], smaller: Step): Promise<Sums> {
  const sums: Sums = new Map();
  for (const part of await readParts(tx, step, due, smaller)) addCounts(sumOf(sums, part), countsOf(part));
  return sums;
}

function sumOf(sums: Sums, { place, mode }: { place: number; mode: Mode }): Counts {
  const byMode = sums.get(place) ?? new Map<Mode, Counts>();
  sums.set(place, byMode);
  const sum = byMode.get(mode) ?? noCounts();
  byMode.set(mode, sum);
  return sum;
}

/** A bucket of which nothing is found is not written: there never was anything, or its messages are gone. */
function bucketsOf(step: Step, due: readonly DueBucket[], sums: Sums): CountedBucket[] {
  return due.flatMap(({ account_id: accountId, bucket_at }, index) =>
    [...(sums.get(index + 1) ?? [])].map(([mode, counts]) => {
      return { accountId, mode, step, bucketMs: bucket_at.getTime(), counts };
    }),
  );
}

function enclosing({ account_id, bucket_at }: DueBucket, step: Step): DueBucket {
  return { account_id, bucket_at: new Date(bucketOf(bucket_at.getTime(), step)) };
}
