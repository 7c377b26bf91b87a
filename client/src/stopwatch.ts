/**
 * Begins to measure. The function that is returned gives the milliseconds since then, by the monotonic clock or by the time of day,
 * whichever has gone further. The monotonic clock stands still while a machine sleeps: after a night, a call would go on and repeat an
 * idempotency key that the gateway has forgotten.
 */
export function startStopwatch(): () => number {
  const beganMs = performance.now();
  const beganAtMs = Date.now();
  return () => Math.max(performance.now() - beganMs, Date.now() - beganAtMs);
}
