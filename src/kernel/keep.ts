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

/** Whatever is older than these times is past its own. In milliseconds since 1970. */
export interface KeepLimits {
  messagesFromMs: number;
  contentFromMs: number;
  eventsFromMs: number;
  appliedFromMs: number;
  setAsideFromMs: number;
}

const DAY_MS = 86_400_000;
/** For so long the provider repeats a notification, and a day for clocks that differ. */
const REPEATED_DAYS = 7 + 1;

/**
 * The limits for deleting. Nothing deleted comes back when a clock is put right, so two clocks, ours and the database's, must
 * agree that its time is over.
 */
export function keepLimitsByTwoClocks(days: KeepDays, clock: Clock, databaseMs: number): KeepLimits {
  return keepLimits(days, Math.min(clock.nowMs(), databaseMs));
}

/** The limits at a time, in milliseconds since 1970. */
export function keepLimits(days: KeepDays, nowMs: number): KeepLimits {
  const before = (count: number) => nowMs - count * DAY_MS;
  return {
    messagesFromMs: before(days.messages),
    // Content cannot be kept longer than its message.
    contentFromMs: before(Math.min(days.content, days.messages)),
    eventsFromMs: before(days.events),
    appliedFromMs: before(days.notifications),
    setAsideFromMs: before(days.setAside),
  };
}

/**
 * For how many days it is remembered what notifications have brought about, so that the same one has no second effect: its last
 * repetition may be set aside, and reprocessed as long as that is kept.
 */
export function effectsRememberedDays({ setAside }: KeepDays): number {
  return REPEATED_DAYS + setAside;
}
