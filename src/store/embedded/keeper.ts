import { setTimeout as delay } from 'node:timers/promises';
import type { Server } from './server.ts';

/**
 * From one start to the next. A server that ran for longer is started again at once; one that cannot start now may be
 * able to soon: when memory or disk is free again.
 */
const START_EVERY_MS = 1_000;

/**
 * Starts a server, and starts it again whenever it ends by itself (killed by hand, for want of memory, or because one
 * of its processes died), until it is told to stop. The first start throws if it fails.
 */
export async function keepRunning(
  start: (stopping: AbortSignal) => Promise<Server>,
  log: { error(message: string): void },
): Promise<{ stop(): Promise<void> }> {
  const stopping = new AbortController();
  const stopRequested = new Promise<void>((resolve) => {
    stopping.signal.addEventListener('abort', () => resolve());
  });
  let startedMs = performance.now();
  const first = await start(stopping.signal);
  const over = superviseFrom(first);

  async function superviseFrom(server: Server): Promise<void> {
    await Promise.race([server.exited, stopRequested]);
    if (stopping.signal.aborted) return server.stop();
    log.error('The embedded PostgreSQL ended by itself; it is started again');
    const next = await startAgain();
    return next === undefined ? undefined : superviseFrom(next);
  }

  async function startAgain(): Promise<Server | undefined> {
    while (!stopping.signal.aborted) {
      const waitMs = Math.max(0, startedMs + START_EVERY_MS - performance.now());
      await Promise.race([delay(waitMs, undefined, { ref: false }), stopRequested]);
      startedMs = performance.now();
      try {
        if (!stopping.signal.aborted) return await start(stopping.signal);
      } catch (error) {
        // A start that the stop has ended is no news.
        if (!stopping.signal.aborted) log.error(String(error));
      }
    }
    return undefined;
  }

  return {
    stop: () => {
      stopping.abort();
      return over;
    },
  };
}
