import type { SteadyClock } from '../kernel/clock.ts';

/**
 * The provider allows one message in 6 seconds to one person from one number, and 45 borrowed from the future.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/about-the-platform
 */
const STEP_MS = 6_000;
const BURST = 45;
/** After so long without a message a pair owes nothing, and needs no memory. */
const PAID_BACK_MS = BURST * STEP_MS;
/** A generation of so many pairs is closed early, and what was borrowed in the one before forgotten: the provider still keeps its own limit. */
const PAIRS_MAX = 50_000;

/** The provider's limit for one number and one person, kept by each node for itself. */
export interface PairLimit {
  /** In how many milliseconds the next message of this pair may go; 0: now. It takes nothing. */
  delayMs(channelId: string, person: string): number;
  /** Takes that turn. */
  take(channelId: string, person: string): void;
  /** Takes one turn back: its message did not go. */
  giveBack(channelId: string, person: string): void;
}

/**
 * A leaky bucket a pair: `fullAt` is when all that was borrowed is paid back. Pairs live in two generations, so that those
 * of long ago are forgotten all at once and for nothing.
 */
export function createPairLimit(clock: SteadyClock): PairLimit {
  let fullAtMs = new Map<string, number>();
  let fullAtMsBefore = new Map<string, number>();
  let bornAtMs = clock.steadyMs();
  const keyOf = (channelId: string, person: string) => `${channelId} ${person}`;
  const find = (key: string) => fullAtMs.get(key) ?? fullAtMsBefore.get(key) ?? 0;

  function ageIfDue(nowMs: number): void {
    if (nowMs - bornAtMs < PAID_BACK_MS && fullAtMs.size < PAIRS_MAX) return;
    fullAtMsBefore = fullAtMs;
    fullAtMs = new Map();
    bornAtMs = nowMs;
  }

  return {
    delayMs(channelId, person) {
      return Math.max(0, find(keyOf(channelId, person)) - (BURST - 1) * STEP_MS - clock.steadyMs());
    },
    take(channelId, person) {
      const nowMs = clock.steadyMs();
      const key = keyOf(channelId, person);
      const fullAt = Math.max(find(key), nowMs) + STEP_MS;
      ageIfDue(nowMs);
      fullAtMs.set(key, fullAt);
    },
    giveBack(channelId, person) {
      const key = keyOf(channelId, person);
      fullAtMs.set(key, find(key) - STEP_MS);
    },
  };
}
