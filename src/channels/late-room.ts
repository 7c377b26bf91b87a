import type { SteadyClock } from '../kernel/clock.ts';
import { LATE_MS } from './turn-stock.ts';

/** With more channels the ones that have rested are forgotten. */
const CHANNELS_MAX = 1_000;

/** Of each channel, what this node transmits at its real pace. */
export interface LateRoom {
  /**
   * Whether a message may go out now. One that is in its turn may; a late one may as long as this node transmits less than the
   * channel's throughput. What may is counted.
   */
  mayGo(channelId: string, perSecond: number, isLate: boolean): boolean;
}

/**
 * Messages that wait for a free connection miss their turns, and would go all at once when many become free. Where they only
 * trickle, because the connections are what is scarce, to take second turns would waste the channel's: a leaky bucket tells the
 * two apart (https://en.wikipedia.org/wiki/Generic_cell_rate_algorithm).
 */
export function createLateRoom(clock: SteadyClock): LateRoom {
  /** When each channel has made up for what has gone. */
  const evenAtMs = new Map<string, number>();

  function forgetRested(nowMs: number): void {
    for (const [channelId, atMs] of evenAtMs) if (atMs <= nowMs) evenAtMs.delete(channelId);
  }

  return {
    mayGo(channelId, perSecond, isLate) {
      const nowMs = clock.steadyMs();
      const atMs = Math.max(nowMs, evenAtMs.get(channelId) ?? 0);
      if (isLate && atMs - nowMs > LATE_MS) return false;
      if (evenAtMs.size >= CHANNELS_MAX) forgetRested(nowMs);
      evenAtMs.set(channelId, atMs + 1_000 / perSecond);
      return true;
    },
  };
}
