/** The longest time that timers of the runtimes can hold: 24.8 days. A longer one would count as none, and end at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** A timer that ends after this time, or after the longest one there is. */
export function startTimer(act: () => void, timeMs: number): ReturnType<typeof setTimeout> {
  return setTimeout(act, Math.min(timeMs, TIMER_MS_MAX));
}
