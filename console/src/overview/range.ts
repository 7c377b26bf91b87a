import { isoOfLocal } from '../parts/iso-of-local.ts';

export interface RangeWish {
  /** In seconds back from now; empty if `from` and `to` are used. */
  span: string;
  /** As a `datetime-local` field gives them, in the reader's own zone. */
  from: string;
  to: string;
}

export const RANGES = [
  { value: '3600', words: 'The last hour' },
  { value: '86400', words: 'The last 24 hours' },
  { value: '604800', words: 'The last 7 days' },
  { value: '2592000', words: 'The last 30 days' },
];

/** The query for the chosen range. An empty end means now. */
export function rangeQuery({ span, from, to }: RangeWish, nowMs: number): { since?: string; until?: string } {
  if (span !== '') return { since: new Date(nowMs - Number(span) * 1_000).toISOString() };
  return { ...(from !== '' && { since: isoOfLocal(from) }), ...(to !== '' && { until: isoOfLocal(to) }) };
}
