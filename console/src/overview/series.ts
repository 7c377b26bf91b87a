import type { Bucket } from '../api/statistics.ts';

/** One line of a chart. `tone` names its colour; its dash makes it recognizable without colours. */
export interface Series {
  label: string;
  tone: 'accepted' | 'delivered' | 'read' | 'failed';
  dash: number[];
  values: (number | null)[];
}

const SOLID: number[] = [];
const LONG = [8, 4];
const SHORT = [3, 3];
const MIXED = [8, 3, 2, 3];

/** How many messages of each bucket have reached each stage. */
export function countSeries(buckets: readonly Bucket[]): Series[] {
  return [
    { label: 'Accepted', tone: 'accepted', dash: SOLID, values: buckets.map(({ accepted }) => accepted) },
    { label: 'Delivered', tone: 'delivered', dash: LONG, values: buckets.map(({ delivered }) => delivered) },
    { label: 'Read', tone: 'read', dash: SHORT, values: buckets.map(({ read }) => read) },
    { label: 'Failed', tone: 'failed', dash: MIXED, values: buckets.map(({ failed }) => failed) },
  ];
}

/** Shares in percent. A bucket without messages has no share, which leaves a gap in the line. */
export function rateSeries(buckets: readonly Bucket[]): Series[] {
  const share = (part: (bucket: Bucket) => number, whole: (bucket: Bucket) => number) =>
    buckets.map((bucket) => (whole(bucket) === 0 ? null : (part(bucket) / whole(bucket)) * 100));
  const accepted = (bucket: Bucket) => bucket.accepted;
  return [
    { label: 'Delivered', tone: 'delivered', dash: LONG, values: share((bucket) => bucket.delivered, accepted) },
    { label: 'Read', tone: 'read', dash: SHORT, values: share((bucket) => bucket.read, accepted) },
    {
      label: 'Failed',
      tone: 'failed',
      dash: MIXED,
      // A share of the messages whose end is known, because those that were refused at once were never accepted.
      values: share(
        (bucket) => bucket.failed,
        (bucket) => bucket.delivered + bucket.failed,
      ),
    },
  ];
}

/** Time to delivery, in seconds. */
export function timeSeries(buckets: readonly Bucket[]): Series[] {
  const seconds = (name: 'p50' | 'p95') =>
    buckets.map(({ to_delivery_ms: times }) => (times === null ? null : times[name] / 1_000));
  return [
    { label: 'Median', tone: 'delivered', dash: SOLID, values: seconds('p50') },
    { label: '95th percentile', tone: 'read', dash: LONG, values: seconds('p95') },
  ];
}
