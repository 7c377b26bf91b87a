import { setTimeout as delay } from 'node:timers/promises';

interface Kept {
  /** Resolves when it is gone, whoever ended it. */
  readonly exited: Promise<unknown>;
  stop(): Promise<void>;
}

/**
 * From one start to the next. One that ran for longer is started again at once; one that cannot start now may be
 * able to soon: when memory or disk is free again.
 */
const START_EVERY_MS = 1_000;

/**
 * Starts a process, and starts it again whenever it ends by itself (killed by hand, for want of memory, or because one
 * of its processes died), until it is told to stop. The first start throws if it fails.
 */
export async function keepRunning(
  name: string,
  start: (stopping: AbortSignal) => Promise<Kept>,
  log: { error(message: string): void },
): Promise<{ stop(): Promise<void> }> {
  const stopping = new AbortController();
  const stopRequested = new Promise<void>((resolve) => {
    stopping.signal.addEventListener('abort', () => resolve());
  });
  let startedMs = performance.now();
  const first = await start(stopping.signal);
  const over = superviseFrom(first);

  async function superviseFrom(kept: Kept): Promise<void> {
    await Promise.race([kept.exited, stopRequested]);
    if (stopping.signal.aborted) return kept.stop();
    log.error(`${name} ended by itself; it is started again`);
    const next = await startAgain();
    return next === undefined ? undefined : superviseFrom(next);
  }

  async function startAgain(): Promise<Kept | undefined> {
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
