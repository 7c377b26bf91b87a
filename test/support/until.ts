import { setTimeout as wait } from 'node:timers/promises';

/** What is about to come is seen at once. */
const SHORTEST_MS = 20;
/** Whoever waits for long leaves the processors to what it waits for, and is late by a twentieth at the most. */
const LONGEST_MS = 100;

/** Waits until the condition returns something, and returns that. The time limit is generous, because machines are small and shared. */
export async function until<Value>(
  condition: () => Value | Promise<Value>,
  timeoutMs = 60_000,
): Promise<Exclude<Value, false | null | undefined>> {
  const beganMs = Date.now();
  for (;;) {
    const value = await condition();
    if (isThere(value)) return value;
    const waitedMs = Date.now() - beganMs;
    if (waitedMs > timeoutMs) throw new Error(`The condition did not come to hold within ${timeoutMs} ms`);
    await wait(Math.min(Math.max(SHORTEST_MS, waitedMs / 20), LONGEST_MS));
  }
}

function isThere<Value>(value: Value): value is Exclude<Value, false | null | undefined> {
  return Boolean(value);
}
