import { keepLimits } from '../../src/kernel/keep.ts';
import { type Block, MESSAGES_A_BLOCK, makeBlock } from './block.ts';

const DAY_MS = 86_400_000;
/** The settings' defaults, so that the same rows are stored as in a gateway of that age. */
const KEPT_DAYS = { messages: 90, content: 30, events: 30, notifications: 7, setAside: 30 };
/** Less than the time for which messages are kept, and more than the time for which their events are. */
const DAYS = 56;
/** The last block is so long ago that everything that it reports has happened already. */
const BEFORE_NOW_MS = 60_000;

/** When the blocks of a history are made: one after another, at equal distances. */
export interface Schedule {
  block: Block;
  blocks: number;
  startMs: number;
  everyMs: number;
  /** Content, events and notifications exist from these times on. Older ones are gone. */
  contentFromMs: number;
  eventsFromMs: number;
  notificationsFromMs: number;
}

export function makeSchedule(messages: number, nowMs: number): Schedule {
  const blocks = Math.ceil(messages / MESSAGES_A_BLOCK);
  const startMs = nowMs - DAYS * DAY_MS;
  const everyMs = (nowMs - BEFORE_NOW_MS - startMs) / blocks;
  const { contentFromMs, eventsFromMs, appliedFromMs } = keepLimits(KEPT_DAYS, nowMs);
  const kept = { contentFromMs, eventsFromMs, notificationsFromMs: appliedFromMs };
  return { block: makeBlock(everyMs), blocks, startMs, everyMs, ...kept };
}

/** The first block that is made at this time or later. */
export function firstBlockFrom({ startMs, everyMs, blocks }: Schedule, timeMs: number): number {
  const near = Math.ceil((timeMs - startMs) / everyMs);
  return Math.min(Math.max(near, 0), blocks);
}
