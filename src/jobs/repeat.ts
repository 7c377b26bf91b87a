import type { Logger } from 'pino';
import { isPassingFailure } from '../store/passing-failure.ts';

/**
 * One round after another, never two at once. A store that is away is met again in the next round. The first one begins after
 * `firstMs`.
 */
export function repeat(
  round: () => Promise<void>,
  everyMs: number,
  log: Logger,
  firstMs = everyMs,
): { stop(): Promise<void> } {
  let stopped = false;
  let running = Promise.resolve();
  let timer: NodeJS.Timeout;
  const schedule = (afterMs: number) => {
    timer = setTimeout(() => {
      running = runOnce().finally(() => stopped || schedule(everyMs));
    }, afterMs);
    timer.unref();
  };
  const runOnce = async () => {
    try {
      await round();
    } catch (error) {
      if (!isPassingFailure(error)) throw error;
      log.warn({ err: error }, 'sweep.put_off');
    }
  };
  schedule(firstMs);
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
