import { readRetryAfterMs } from './retry-after.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The waits after the first try, the second and so on: ten tries in about three days. A promise to customers. */
const WAITS_MS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];
/** Added only, so that no try comes before its time: what failed together shall not come back together. */
const JITTER_SHARE = 0.1;
const RETRY_AFTER_MAX_MS = 24 * HOUR;

/**
 * How long to wait after the failed try `number` (from 1); null: that was the last one. An endpoint may ask for a longer
 * wait by `Retry-After`, of up to 24 hours; if it does so more than once, by the longest. `random` is in [0, 1).
 */
export function waitAfterMs(
  number: number,
  retryAfter: readonly string[],
  nowMs: number,
  random: () => number,
): number | null {
  const waitMs = WAITS_MS[number - 1];
  if (waitMs === undefined) return null;
  const allAskedMs = retryAfter.map((header) => readRetryAfterMs(header, nowMs) ?? 0);
  const askedMs = Math.min(Math.max(0, ...allAskedMs), RETRY_AFTER_MAX_MS);
  return Math.round(Math.max(waitMs * (1 + JITTER_SHARE * random()), askedMs));
}
