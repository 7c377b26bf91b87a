import type { SteadyClock } from '../kernel/clock.ts';
import { LATE_MS } from './turn-stock.ts';

/** Beyond this many, channels that have rested are forgotten. */
const CHANNELS_MAX = 1_000;

/** The pace at which this node really transmits, for each channel. */
export interface LateRoom {
  /**
   * Whether a message may go out now. One that is in its turn may; a late one may as long as this node transmits less than the
   * channel's throughput. What may is counted.
   */
  mayGo(channelId: string, perSecond: number, isLate: boolean): boolean;
}

/**
 * Messages that wait for a free connection miss their turns. If many connections become free at once, all these messages would go in one
 * moment. If the messages only trickle, because connections are scarce, second turns for them would waste the channel's throughput. A
 * leaky bucket tells the two cases apart (https://en.wikipedia.org/wiki/Generic_cell_rate_algorithm).
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
