import type { Clock } from './clock.ts';

/** For how many days things are kept. */
export interface KeepDays {
  messages: number;
  content: number;
  events: number;
  /** After they were applied. */
  notifications: number;
  setAside: number;
}

/** What is older than these times is past its time. Each in milliseconds since 1970. */
export interface KeepLimits {
  messagesFromMs: number;
  contentFromMs: number;
  eventsFromMs: number;
  appliedFromMs: number;
  setAsideFromMs: number;
}

const DAY_MS = 86_400_000;

/**
 * The limits for what is deleted: what is gone does not come back when a clock is put right, so it takes two clocks, ours and
 * the database's, to call it past its time.
 */
export function keepLimitsByTwoClocks(days: KeepDays, clock: Clock, databaseMs: number): KeepLimits {
  return keepLimits(days, Math.min(clock.nowMs(), databaseMs));
}

/** The limits as they are at one moment. */
export function keepLimits(days: KeepDays, nowMs: number): KeepLimits {
  const before = (count: number) => nowMs - count * DAY_MS;
  return {
    messagesFromMs: before(days.messages),
    // A message that is gone has no content.
    contentFromMs: before(Math.min(days.content, days.messages)),
    eventsFromMs: before(days.events),
    appliedFromMs: before(days.notifications),
    setAsideFromMs: before(days.setAside),
  };
}
