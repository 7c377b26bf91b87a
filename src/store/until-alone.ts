import { StoreUnavailable } from '../kernel/store-unavailable.ts';
import { isLockTimeout } from './lock-timeout.ts';

/**
 * For the flush of a batcher that limits how long it waits for locks. Items that do not get a lock in time are written in smaller and smaller
 * parts, until those that need this lock are alone. For these it is as if the store were away.
 */
export async function untilAlone<Result>(items: readonly unknown[], commit: () => Promise<Result>): Promise<Result> {
  try {
    return await commit();
  } catch (error) {
    throw isLockTimeout(error) && items.length === 1 ? new StoreUnavailable(error, false) : error;
  }
}
