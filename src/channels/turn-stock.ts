import type { SteadyClock } from '../kernel/clock.ts';

/** A busy channel reserves ahead what it used in the last window of this length, and no more than it could use. */
const WINDOW_MS = 50;
/** A turn that was not taken may still be used so long after its time; then it is lost, so that no burst is saved up. */
const LATE_MS = 100;

/** Turns of one channel: the first in so many milliseconds (it may lie behind us), each next one a step later. */
export interface Turns {
  startMs: number;
  turns: number;
}

/** Turns that were reserved ahead, so that a busy channel does not ask the store for every request. */
export interface TurnStock {
  /** Takes all of them, or none if there are not enough. */
  take(channelId: string, turns: number, perSecond: number): Turns | undefined;
  /** How many to reserve beyond what is wanted now. */
  ahead(channelId: string, perSecond: number): number;
  /** Keeps what was reserved ahead. */
  put(channelId: string, turns: Turns): void;
}

interface Shelf {
  nextAtMs: number;
  left: number;
  windowFromMs: number;
  used: number;
  usedBefore: number;
}

export function createTurnStock(clock: SteadyClock): TurnStock {
  const shelves = new Map<string, Shelf>();

  function shelfOf(channelId: string): Shelf {
    const nowMs = clock.steadyMs();
    const shelf = shelves.get(channelId) ?? { nextAtMs: 0, left: 0, windowFromMs: nowMs, used: 0, usedBefore: 0 };
    shelves.set(channelId, shelf);
    const windows = Math.floor((nowMs - shelf.windowFromMs) / WINDOW_MS);
    if (windows > 0) {
      shelf.usedBefore = windows === 1 ? shelf.used : 0;
      shelf.used = 0;
      shelf.windowFromMs += windows * WINDOW_MS;
    }
    return shelf;
  }

  return {
    take(channelId, turns, perSecond) {
      const shelf = shelfOf(channelId);
      shelf.used += turns;
      const stepMs = 1_000 / perSecond;
      const lost = Math.min(shelf.left, Math.ceil((clock.steadyMs() - LATE_MS - shelf.nextAtMs) / stepMs));
      if (lost > 0) {
        shelf.nextAtMs += lost * stepMs;
        shelf.left -= lost;
      }
      if (shelf.left < turns) return undefined;
      const startMs = shelf.nextAtMs - clock.steadyMs();
      shelf.nextAtMs += turns * stepMs;
      shelf.left -= turns;
      return { startMs, turns };
    },
    ahead(channelId, perSecond) {
      return Math.min(shelfOf(channelId).usedBefore, Math.floor((perSecond * WINDOW_MS) / 1_000));
    },
    put(channelId, { startMs, turns }) {
      const shelf = shelfOf(channelId);
      // Of two reservations of one moment the larger is kept.
      if (turns <= shelf.left) return;
      shelf.nextAtMs = clock.steadyMs() + startMs;
      shelf.left = turns;
    },
  };
}
