import { addCounts, type Counts, noCounts } from './counts.ts';
import { percentilesOf } from './delivery-times.ts';
import { type Range, STEP_MS } from './step.ts';
import { type BucketRow, countsOf } from './store.ts';

/** Writes the buckets of a range out, also those in which there was nothing, with their sum. */
export function presentStatistics({ step, sinceMs, untilMs }: Range, rows: readonly BucketRow[]) {
  const kept = new Map(rows.map((row) => [row.bucket_at.getTime(), countsOf(row)]));
  const totals = noCounts();
  for (const counts of kept.values()) addCounts(totals, counts);
  const buckets = [];
  for (let atMs = sinceMs; atMs < untilMs; atMs += STEP_MS[step])
    buckets.push({ at: timeOf(atMs), ...numbersOf(kept.get(atMs) ?? noCounts()) });
  const computedMs = rows.map((row) => row.computed_at.getTime());
  return {
    since: timeOf(sinceMs),
    until: timeOf(untilMs),
    step,
    computed_at: computedMs.length === 0 ? null : timeOf(Math.max(...computedMs)),
    totals: numbersOf(totals),
    buckets,
    failures: Object.entries(totals.failures)
      .map(([code, count]) => ({ code, count }))
      .sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1)),
  };
}

function numbersOf({ failures: _, deliveryTimes, ...numbers }: Counts) {
  return { ...numbers, to_delivery_ms: percentilesOf(deliveryTimes) };
}

function timeOf(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
