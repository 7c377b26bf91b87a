import { invalidRequest } from '../http/invalid-request.ts';
import type { ApiError } from '../kernel/errors.ts';

export const STEPS = ['minute', 'hour', 'day'] as const;
export type Step = (typeof STEPS)[number];

export const STEP_MS: Record<Step, number> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** Half a day of minutes, a month of hours, two years of days: no chart shows more, and more costs more. */
const BUCKETS_MAX = 750;
/** Up to this range, which makes a chart of some hundred points at most, the finer step is the default. */
const MINUTES_UP_TO_MS = 3 * STEP_MS.hour;
const HOURS_UP_TO_MS = 14 * STEP_MS.day;
const RANGE_DEFAULT_MS = STEP_MS.day;
/** What RFC 3339 can write, which has four digits for a year. The last bucket of the year 9999 ends after it. */
const WRITABLE_FROM_MS = Date.parse('0000-01-01T00:00:00Z');
const WRITABLE_UP_TO_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** Whole buckets, from `sinceMs` to before `untilMs`. */
export interface Range {
  step: Step;
  sinceMs: number;
  untilMs: number;
}

/** Widens what is asked for to whole buckets. Throws `invalid_request` for a range that is none, leaves the years, or has too many. */
export function chooseRange(wish: { sinceMs?: number; untilMs?: number; step?: Step }, nowMs: number): Range {
  const untilMs = wish.untilMs ?? nowMs;
  const sinceMs = wish.sinceMs ?? untilMs - RANGE_DEFAULT_MS;
  if (sinceMs >= untilMs) throw wrong('since', 'This must be before `until`, which is now unless it is given.');
  const step = wish.step ?? defaultStep(untilMs - sinceMs);
  const range = { step, sinceMs: bucketOf(sinceMs, step), untilMs: bucketOf(untilMs - 1, step) + STEP_MS[step] };
  if (range.untilMs > WRITABLE_UP_TO_MS)
    throw wrong('until', 'The bucket that this falls into ends after the year 9999.');
  if (range.sinceMs < WRITABLE_FROM_MS) throw wrong('since', 'The range begins before the year 0000.');
  const buckets = (range.untilMs - range.sinceMs) / STEP_MS[step];
  if (buckets > BUCKETS_MAX)
    throw wrong(
      'step',
      `These are ${buckets} buckets. Take a larger step or a shorter range, for ${BUCKETS_MAX} at most.`,
    );
  return range;
}

/** The beginning of the bucket that a time falls into. Days are those of UTC. */
export function bucketOf(timeMs: number, step: Step): number {
  return Math.floor(timeMs / STEP_MS[step]) * STEP_MS[step];
}

function defaultStep(rangeMs: number): Step {
  if (rangeMs <= MINUTES_UP_TO_MS) return 'minute';
  return rangeMs <= HOURS_UP_TO_MS ? 'hour' : 'day';
}

function wrong(parameter: string, detail: string): ApiError {
  return invalidRequest([{ parameter, detail }]);
}
