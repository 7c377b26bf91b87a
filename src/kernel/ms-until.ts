/** The most that a timer of Node takes; with more it would not wait at all. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** How long it is until that time of `performance.now()`, as a timer takes it: 0 if it has passed, very long for `Infinity`. */
export function msUntil(timeMs: number): number {
  return Math.min(TIMER_MAX_MS, Math.max(0, timeMs - performance.now()));
}
