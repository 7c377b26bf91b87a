import { least } from './least.ts';

/**
 * How many milliseconds the work takes at the quickest of its tries, of which there are more only while it takes longer than the limit: a machine
 * that was busy with something else for a moment proves nothing.
 */
export function quickestMs(limitMs: number, work: () => Promise<unknown>): Promise<number> {
  return least(limitMs, async () => {
    const startMs = performance.now();
    await work();
    return performance.now() - startMs;
  });
}
