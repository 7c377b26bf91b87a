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

/** When each pair has paid back all that it borrowed, by channel and person. */
type Generation = Map<string, Map<string, number>>;

/**
 * A leaky bucket a pair: `fullAtMs` is when all that was borrowed is paid back. Pairs live in two generations, so that those
 * of long ago are forgotten all at once and for nothing.
 */
export function createPairLimit(clock: SteadyClock): PairLimit {
  let young: Generation = new Map();
  let old: Generation = new Map();
  let pairsOfYoung = 0;
  let bornAtMs = clock.steadyMs();
  const fullAtMs = (channelId: string, person: string) =>
    young.get(channelId)?.get(person) ?? old.get(channelId)?.get(person) ?? 0;

  function note(channelId: string, person: string, fullMs: number): void {
    const people = young.get(channelId) ?? new Map<string, number>();
    const before = people.size;
    people.set(person, fullMs);
    pairsOfYoung += people.size - before;
    if (before === 0) young.set(channelId, people);
  }

  function ageIfDue(nowMs: number): void {
    if (nowMs - bornAtMs < PAID_BACK_MS && pairsOfYoung < PAIRS_MAX) return;
    old = young;
    young = new Map();
    pairsOfYoung = 0;
    bornAtMs = nowMs;
  }

  return {
    delayMs(channelId, person) {
      return Math.max(0, fullAtMs(channelId, person) - (BURST - 1) * STEP_MS - clock.steadyMs());
    },
    take(channelId, person) {
      const nowMs = clock.steadyMs();
      const fullMs = Math.max(fullAtMs(channelId, person), nowMs) + STEP_MS;
      ageIfDue(nowMs);
      note(channelId, person, fullMs);
    },
    giveBack: (channelId, person) => note(channelId, person, fullAtMs(channelId, person) - STEP_MS),
  };
}
