import type { Clock } from '../kernel/clock.ts';

/**
 * The provider allows one message in 6 seconds to one person from one number, and 45 borrowed from the future.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/about-the-platform
 */
const STEP_MS = 6_000;
const BURST = 45;
/** Pairs beyond this many are forgotten, the oldest first: the provider still keeps its own limit. */
const PAIRS_MAX = 100_000;

/** The provider's limit for one number and one person, kept by each node for itself. */
export interface PairLimit {
  /** In how many milliseconds the next message of this pair may go; 0: now. It takes nothing. */
  delayMs(channelId: string, person: string): number;
  /** Takes that turn. */
  take(channelId: string, person: string): void;
}

/** A leaky bucket a pair: `fullAt` is when all that was borrowed is paid back. */
export function createPairLimit(clock: Clock): PairLimit {
  const fullAtMs = new Map<string, number>();
  const keyOf = (channelId: string, person: string) => `${channelId} ${person}`;

  /** Two a message, so that what is paid back goes faster than new pairs come. */
  function forgetSome(): void {
    for (const [key, fullAt] of fullAtMs.entries().take(2))
      if (fullAt <= clock.nowMs() || fullAtMs.size > PAIRS_MAX) fullAtMs.delete(key);
  }

  return {
    delayMs(channelId, person) {
      const fullAt = fullAtMs.get(keyOf(channelId, person)) ?? 0;
      return Math.max(0, fullAt - (BURST - 1) * STEP_MS - clock.nowMs());
    },
    take(channelId, person) {
      const key = keyOf(channelId, person);
      const fullAt = Math.max(fullAtMs.get(key) ?? 0, clock.nowMs()) + STEP_MS;
      fullAtMs.delete(key);
      fullAtMs.set(key, fullAt);
      forgetSome();
    },
  };
}
