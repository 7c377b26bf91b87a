import { StoreUnavailable } from '../kernel/store-unavailable.ts';
import { isLockTimeout } from './lock-timeout.ts';

/** Other commits hold these locks for less. Somebody may keep one for hours, as a transaction does that was left open in a terminal. */
const LOCK_WAIT_MS = 3_000;
/** The whole has waited already. Where many need that lock, a long wait for each of them would hold up the others for minutes. */
const PART_LOCK_WAIT_MS = 50;

/**
 * For the flush of a batcher that limits how long it waits for locks. Items that do not get a lock in time are written in smaller and smaller
 * parts, until those that need this lock are alone. For these it is as if the store were away.
 */
export async function untilAlone<Result>(
  items: readonly unknown[],
  isPart: boolean,
  commit: (lockWaitMs: number) => Promise<Result>,
): Promise<Result> {
  try {
    return await commit(isPart ? PART_LOCK_WAIT_MS : LOCK_WAIT_MS);
  } catch (error) {
    throw isLockTimeout(error) && items.length === 1 ? new StoreUnavailable(error, false) : error;
  }
}
