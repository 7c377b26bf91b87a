import type { WaypostError } from './errors.ts';

/**
 * `always`: making the call twice has the same effect as making it once. `refused`: repeat only after an answer that says that nothing was
 * done.
 */
export type Repeatable = 'always' | 'refused';

/** The first pause; each further one is twice as long. */
const BACK_OFF_MS = 250;
/** Long enough to spare a gateway in trouble, short enough to notice that it is back. */
const BACK_OFF_MS_MAX = 8_000;
/** From here on: the gateway is busy or away, or a proxy could not reach it. For that some proxies have statuses of their own, such as 522. */
const PASSING_STATUS_MIN = 500;

/** How long to wait before a failed call is made again; undefined if it must not be. `failures` counts from 1. */
export function waitBeforeRepeat(error: WaypostError, repeatable: Repeatable, failures: number): number | undefined {
  if (!mayRepeat(error, repeatable)) return undefined;
  const { retryAfterSeconds } = error;
  // Callers that were told when to come back wait a little longer, each by another random time, so that not all come at once.
  if (retryAfterSeconds !== undefined) return retryAfterSeconds * 1_000 + Math.random() * BACK_OFF_MS;
  return backOffMs(failures);
}

/** A random time between half and the whole of a time that doubles with every failure. */
export function backOffMs(failures: number): number {
  const wholeMs = Math.min(BACK_OFF_MS_MAX, BACK_OFF_MS * 2 ** Math.max(0, failures - 1));
  return wholeMs * (0.5 + Math.random() / 2);
}

/** Of the 4xx answers only two mean that the same call may succeed later. */
export function mayRepeat({ code, status = 0 }: WaypostError, repeatable: Repeatable): boolean {
  if (status === 429 || code === 'idempotency_in_flight') return true;
  if (repeatable === 'refused') return false;
  return code === 'no_answer' || status >= PASSING_STATUS_MIN;
}
