/**
 * Starts to measure, and returns what tells the milliseconds since then: by the clock that only passes or by the time of day,
 * whichever has gone further. The first stands still while a machine sleeps, and a call that went on after a night would
 * repeat an idempotency key that the gateway has forgotten.
 */
export function startStopwatch(): () => number {
  const beganMs = performance.now();
  const beganAtMs = Date.now();
  return () => Math.max(performance.now() - beganMs, Date.now() - beganAtMs);
}
