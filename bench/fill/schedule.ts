import { keepLimits } from '../../src/kernel/keep.ts';
import { type Block, MESSAGES_A_BLOCK, makeBlock } from './block.ts';

const DAY_MS = 86_400_000;
/** As the settings are by default, so that what is stored is what a gateway of that age would still have. */
const KEPT_DAYS = { messages: 90, content: 30, events: 30, notifications: 7, setAside: 30 };
/** Within what is kept of messages, and beyond what is kept of their events. */
const DAYS = 56;
/** All that the last block reports has happened already. */
const BEFORE_NOW_MS = 60_000;

/** When the blocks of a history are made: one after another at even distances. */
export interface Schedule {
  block: Block;
  blocks: number;
  startMs: number;
  everyMs: number;
  /** What is older is not there any more. */
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
