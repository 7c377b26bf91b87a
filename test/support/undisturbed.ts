import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';

/** A shared machine stands still for longer from time to time, by more than what a test of times can leave room for. */
const STANDSTILL_MS = 250;
const TRIES_MAX = 6;

/**
 * Runs `work`, whose conditions hold only on a machine that goes on all the time. If it throws, and this process was kept from running
 * meanwhile, it is run again, since its failure says nothing then. So `work` must not mind what an earlier run of it has left behind.
 */
export async function undisturbed<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    const delay = monitorEventLoopDelay({ resolution: 10 });
    delay.enable();
    try {
      return await work();
    } catch (error) {
      // The histogram learns of a standstill at the first timer after it.
      await turn();
      if (delay.max / 1e6 < STANDSTILL_MS || tries === TRIES_MAX) throw error;
    } finally {
      delay.disable();
    }
  }
}
