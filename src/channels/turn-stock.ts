import type { SteadyClock } from '../kernel/clock.ts';
import { createMemo } from '../kernel/memo.ts';

/** A busy channel reserves ahead what was wanted of it in the last window of this length, but never more than it can use in one. */
export const WINDOW_MS = 50;
/** A turn may be used this long after its time. Then it is lost, so that no burst is saved up. */
export const LATE_MS = 100;
/** Channels that a node knows at a time. A channel that is forgotten loses the turns of one window, and asks the store. */
const CHANNELS_MAX = 10_000;

/** Turns of one channel: the first comes in `startMs`, which is below 0 for one that is late; each next one a step later. */
export interface Turns {
  startMs: number;
  turns: number;
}

export const NO_TURNS: Turns = { startMs: 0, turns: 0 };

/** Turns reserved ahead, so that a busy channel does not ask the store for every request. */
export interface TurnStock {
  /** Notes that so many are wanted now, once for each wish: what is reserved ahead goes by it. */
  want(channelId: string, turns: number): void;
  /** Takes that many, or none if there are not enough. `perSecond` is the channel's throughput. */
  take(channelId: string, turns: number, perSecond: number): Turns | undefined;
  /** How many turns to reserve beyond those wanted now. What is kept already is taken off, so that the stock is bounded. */
  ahead(channelId: string, perSecond: number): number;
  /** Keeps turns that were reserved ahead. */
  put(channelId: string, turns: Turns): void;
}

/** Turns of one reservation that are left. */
interface Block {
  nextAtMs: number;
  left: number;
}

interface Shelf {
  /** In the order of their times. */
  blocks: Block[];
  windowFromMs: number;
  wanted: number;
  wantedBefore: number;
}

export function createTurnStock(clock: SteadyClock): TurnStock {
  const shelves = createMemo<Shelf>(CHANNELS_MAX);

  function shelfOf(channelId: string): Shelf {
    const nowMs = clock.steadyMs();
    const shelf = shelves(channelId, () => ({ blocks: [], windowFromMs: nowMs, wanted: 0, wantedBefore: 0 }));
    const windows = Math.floor((nowMs - shelf.windowFromMs) / WINDOW_MS);
    if (windows > 0) {
      shelf.wantedBefore = windows === 1 ? shelf.wanted : 0;
      shelf.wanted = 0;
      shelf.windowFromMs += windows * WINDOW_MS;
    }
    return shelf;
  }

  return {
    want(channelId, turns) {
      shelfOf(channelId).wanted += turns;
    },
    take(channelId, turns, perSecond) {
      const shelf = shelfOf(channelId);
      const stepMs = 1_000 / perSecond;
      const nowMs = clock.steadyMs();
      for (const block of shelf.blocks) loseUntil(block, nowMs - LATE_MS, stepMs);
      shelf.blocks = shelf.blocks.filter(({ left }) => left > 0);
      // The turns of a request come one after the other, so one block must have them all. A small one stays for others.
      const block = shelf.blocks.find(({ left }) => left >= turns);
      if (block === undefined) return undefined;
      const startMs = block.nextAtMs - nowMs;
      block.nextAtMs += turns * stepMs;
      block.left -= turns;
      return { startMs, turns };
    },
    ahead(channelId, perSecond) {
      const { blocks, wantedBefore } = shelfOf(channelId);
      const kept = blocks.reduce((sum, { left }) => sum + left, 0);
      return Math.max(0, Math.min(wantedBefore, Math.floor((perSecond * WINDOW_MS) / 1_000)) - kept);
    },
    put(channelId, { startMs, turns }) {
      if (turns > 0) shelfOf(channelId).blocks.push({ nextAtMs: clock.steadyMs() + startMs, left: turns });
    },
  };
}

function loseUntil(block: Block, untilMs: number, stepMs: number): void {
  const lost = Math.min(block.left, Math.max(0, Math.ceil((untilMs - block.nextAtMs) / stepMs)));
  block.nextAtMs += lost * stepMs;
  block.left -= lost;
}
