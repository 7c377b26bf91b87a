import { setTimeout as wait } from 'node:timers/promises';
import { isPassingFailure } from '../../store/passing-failure.ts';

/** So long a store that is away is left alone before it is asked again. */
const PAUSE_MS = 250;

/**
 * What the store tells, which is asked again while it is away: a failover takes seconds, and most sends have more time than that. Rejects
 * with the store's failure when the deadline has come, and at once with one that does not pass.
 */
export async function onceStoreTells<Value>(ask: () => Promise<Value>, deadline: AbortSignal): Promise<Value> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (deadline.aborted || !isPassingFailure(error)) throw error;
      await wait(PAUSE_MS, undefined, { signal: deadline }).catch(() => {
        throw error;
      });
    }
  }
}
