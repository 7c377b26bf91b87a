import type { Logger } from 'pino';
import type { Clock } from '../kernel/clock.ts';

/** Receivers of events refuse a signature that is five minutes from their own time. */
const DIFFERENCE_MAX_MS = 60_000;
/** A process that was paused may read one answer long after it was given. */
const TIMES = 2;

/**
 * What it returns takes the database's time as it has just been read, tells `onAhead` how far this process's clock is ahead of it, and warns
 * once if that goes on being far.
 */
export function watchClockDifference(
  clock: Clock,
  log: Logger,
  onAhead?: (aheadMs: number) => void,
): (databaseMs: number) => void {
  let times = 0;
  return (databaseMs) => {
    const aheadMs = Math.round(clock.nowMs() - databaseMs);
    onAhead?.(aheadMs);
    times = Math.abs(aheadMs) > DIFFERENCE_MAX_MS ? times + 1 : 0;
    if (times === TIMES) log.warn({ ahead_ms: aheadMs }, 'node.clock_differs');
  };
}
