import { setTimeout as wait } from 'node:timers/promises';
import type { Queryable } from '../store/database.ts';
import { findOldestPack } from './pack-store.ts';

/** Longer than a burst is answered first and applied afterwards. Who waits has a deadline of its own, and something else to do. */
const WAIT_MS = 6_000;
const LOOK_EVERY_MS = 50;

/**
 * Waits until every notification is applied that was answered before this call, by whichever node. False: that took too long.
 * Throws `StoreUnavailable`.
 */
export async function untilApplied(store: Queryable): Promise<boolean> {
  const untilMs = performance.now() + WAIT_MS;
  let { now: askedAt, oldest } = await findOldestPack(store);
  while (oldest !== null && oldest <= askedAt) {
    if (performance.now() > untilMs) return false;
    await wait(LOOK_EVERY_MS);
    ({ oldest } = await findOldestPack(store));
  }
  return true;
}
