import { createBatcher } from '../store/batcher.ts';
import type { Queryable } from '../store/database.ts';
import { findUnapplied, type Unapplied } from './pack-store.ts';

/** Longer than a burst can put off applying. Whoever waits has a deadline of its own, and something else to do. */
const WAIT_MS = 6_000;
/** The waiters of one moment share a look: a provider that throttles does so to many messages at once. */
const LOOK_EVERY_MS = 100;
const WAITERS_A_LOOK_MAX = 10_000;

/**
 * Waits until every notification is applied that was answered before this call, by whichever node, or until `giveUp` is
 * aborted. False: that took too long. Throws `StoreUnavailable`.
 */
export type UntilApplied = (giveUp: AbortSignal) => Promise<boolean>;

/**
 * It goes by the ids of the packs that wait and not by times, because the clocks of nodes differ and the database's may be set back. A flood
 * of one number makes everybody wait here, because what is in a pack is not known before it is applied.
 */
export function createUntilApplied(store: Queryable): UntilApplied {
  const looks = createBatcher<undefined, Unapplied>({
    itemsMax: WAITERS_A_LOOK_MAX,
    flushesMax: 1,
    everyMs: LOOK_EVERY_MS,
    flush: async (waiters) => {
      const found = await findUnapplied(store);
      return waiters.map(() => found);
    },
  });
  return async (giveUp) => {
    const untilMs = performance.now() + WAIT_MS;
    let seen = await looks.add(undefined);
    let left = seen.packs;
    while (left.size > 0 || seen.unpacked) {
      if (giveUp.aborted || performance.now() > untilMs) return false;
      seen = await looks.add(undefined);
      left = left.intersection(seen.packs);
    }
    return true;
  };
}
