import { setTimeout as wait } from 'node:timers/promises';

/** Waits until the condition returns something, and returns that. The time limit is generous, because machines are small and shared. */
export async function until<Value>(
  condition: () => Value | Promise<Value>,
  timeoutMs = 60_000,
): Promise<Exclude<Value, false | null | undefined>> {
  const endMs = Date.now() + timeoutMs;
  for (;;) {
    const value = await condition();
    if (isThere(value)) return value;
    if (Date.now() > endMs) throw new Error(`The condition did not come to hold within ${timeoutMs} ms`);
    await wait(20);
  }
}

function isThere<Value>(value: Value): value is Exclude<Value, false | null | undefined> {
  return Boolean(value);
}
