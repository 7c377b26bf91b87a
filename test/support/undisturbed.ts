import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';

/**
 * A shared machine stands still for a while now and then. A standstill of this length is more than most tests that measure times can
 * allow for.
 */
const STANDSTILL_MS = 250;
const TRIES_MAX = 6;

/**
 * Runs `work`, whose conditions only hold on a machine that does not stand still. If it throws, and this process was kept from running
 * for `standstillMs`, the failure proves nothing, and `work` is run again. So `work` must not depend on what an earlier run of it has
 * left.
 */
export async function undisturbed<T>(work: () => Promise<T>, standstillMs = STANDSTILL_MS): Promise<T> {
  for (let tries = 1; ; tries++) {
    const delay = monitorEventLoopDelay({ resolution: 10 });
    delay.enable();
    try {
      return await work();
    } catch (error) {
      // The histogram notices a standstill at the first timer after it.
      await turn();
      if (delay.max / 1e6 < standstillMs || tries === TRIES_MAX) throw error;
    } finally {
      delay.disable();
    }
  }
}
