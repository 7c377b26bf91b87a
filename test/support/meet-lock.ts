import type { Database, Transaction } from '../../src/store/database.ts';
import { restingTransaction } from './resting-transaction.ts';
import { until } from './until.ts';
import { countWaitingForLocks } from './waiting-for-locks.ts';

interface Meeting<Result> {
  /** Takes locks, which are held until the work waits for them. */
  hold(tx: Transaction): Promise<unknown>;
  work(): Promise<Result>;
  /** How many statements of the work wait; 1 if it is left out. */
  waiting?: number;
  /** What the holder does while the work waits. */
  meanwhile?(tx: Transaction): Promise<unknown>;
}

/** Has some work meet locks of somebody else. Returns what the work comes to once they are given back. */
export async function meetLock<Result>(
  database: Database,
  { hold, work, waiting = 1, meanwhile }: Meeting<Result>,
): Promise<Result> {
  // In an object, because a promise would be waited for before the locks are given back.
  const { done } = await restingTransaction(database, async (tx) => {
    await hold(tx);
    const done = work();
    // Whoever calls sees its failure, but only after the transaction.
    done.catch(() => undefined);
    await until(async () => (await countWaitingForLocks(database)) >= waiting);
    await meanwhile?.(tx);
    return { done };
  });
  return done;
}
