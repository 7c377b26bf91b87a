import type { Logger } from 'pino';
import type { Clock } from '../kernel/clock.ts';

/** Receivers of events refuse a signature that is five minutes from their own time. */
const DIFFERENCE_MAX_MS = 60_000;
/** A process that was paused may read one answer long after it was given. */
const TIMES = 2;

/** What it returns takes the database's time as it has just been read, and warns once if this process's clock goes on being far from it. */
export function watchClockDifference(clock: Clock, log: Logger): (databaseMs: number) => void {
  let times = 0;
  return (databaseMs) => {
    const aheadMs = Math.round(clock.nowMs() - databaseMs);
    times = Math.abs(aheadMs) > DIFFERENCE_MAX_MS ? times + 1 : 0;
    if (times === TIMES) log.warn({ ahead_ms: aheadMs }, 'node.clock_differs');
  };
}
