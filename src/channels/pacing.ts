import type { SteadyClock } from '../kernel/clock.ts';
import type { MessageError } from '../kernel/message-errors.ts';
import type { Queryable } from '../store/database.ts';
import type { SendingChannel } from './channels.ts';
import { createLateRoom } from './late-room.ts';
import { createPairLimit, type PairLimit } from './pair-limit.ts';
import { createReserve } from './reserve.ts';
import { LATE_MS, NO_TURNS, type Turns } from './turn-stock.ts';

/** A wait shorter than this is none: the way to the provider differs by more. */
const NOW_MS = 5;

/**
 * When a message may go: at once, or later. It may be used from `atMs` until `untilMs` of the steady clock. Then it has passed: if
 * those that pass while something is slow were used, all of them would go at once. One that is not `isReserved` is only the
 * person's: at its time the message needs one of the channel, by `anotherTurn`.
 */
export interface GivenTurn {
  kind: 'now' | 'later';
  atMs: number;
  untilMs: number;
  isReserved: boolean;
}

/** `never`: not within the message's deadline. */
export type Turn = GivenTurn | { kind: 'never'; error: MessageError };

export interface Pacing {
  /**
   * Gives a turn to each message of a request, by the people it goes to. Only live channels are paced. The deadline is one of
   * the steady clock. Throws `StoreUnavailable` when the store gives none before it.
   */
  turnsFor(channel: SendingChannel, people: readonly string[], deadlineMs: number): Promise<Turn[]>;
  /**
   * Gives one turn of the channel alone, as in place of one that has passed: the pair limit has counted its message already.
   * Throws as `turnsFor` does.
   */
  anotherTurn(channel: SendingChannel, deadlineMs: number): Promise<Turn>;
  /**
   * Whether a message that has waited for a connection may go on it: in its turn; or later, as long as this node transmits less
   * than the channel's throughput.
   */
  mayGo(channel: SendingChannel, isLate: boolean): boolean;
  /** These people's messages did not go in their turns. The channel's turns have passed, but the pair limit must not count the messages. */
  giveBack(channel: SendingChannel, people: readonly string[]): void;
}

/** Keeps the provider's limits: a channel's throughput across all nodes, the pair limit by this node. */
export function createPacing(database: Queryable, clock: SteadyClock): Pacing {
  const pairs = createPairLimit(clock);
  const lateRoom = createLateRoom(clock);
  const reserve = createReserve(database, clock);

  return {
    async turnsFor(channel, people, deadlineMs) {
      if (channel.sender.mode === 'test') return people.map(() => UNPACED);
      if (deadlineMs - clock.steadyMs() < 1) return people.map(() => TOO_LATE);
      const waits = people.map((person) => pairs.delayMs(channel.id, person));
      // A turn of the channel is reserved only for those who need not wait for their pair: reserved now, the turns of the others would
      // pass before they are used, and many such messages would then go at once.
      const wanting = waits.filter((waitMs) => waitMs <= NOW_MS).length;
      const reserved = wanting === 0 ? NO_TURNS : await reserve(channel, wanting, deadlineMs);
      return share({ channel, people, waits, deadlineMs }, reserved, pairs, clock.steadyMs());
    },
    async anotherTurn(channel, deadlineMs) {
      if (channel.sender.mode === 'test') return UNPACED;
      if (deadlineMs - clock.steadyMs() < 1) return TOO_LATE;
      const { startMs, turns } = await reserve(channel, 1, deadlineMs);
      const nowMs = clock.steadyMs();
      if (nowMs >= deadlineMs) return TOO_LATE;
      return turns === 0 || nowMs + startMs >= deadlineMs
        ? never('throughput_limited', startMs)
        : turnIn(startMs, nowMs);
    },
    mayGo: ({ id, sender, throughputPerSecond }, isLate) =>
      sender.mode === 'test' || lateRoom.mayGo(id, throughputPerSecond, isLate),
    giveBack(channel, people) {
      if (channel.sender.mode === 'test') return;
      for (const person of people) pairs.giveBack(channel.id, person);
    },
  };
}

/** What the messages of a request ask for. */
interface Wish {
  channel: SendingChannel;
  people: readonly string[];
  /** How long each had to wait for its pair when the turns were asked for. */
  waits: readonly number[];
  /** Of the steady clock. */
  deadlineMs: number;
}

/**
 * Gives each message its turn: of the channel, in the order of the people, or only of its pair if it has to wait for that. `nowMs` is read
 * after the reservation: turns are counted from the moment in which the store gave them, and it may have been slow.
 */
function share({ channel, people, waits, deadlineMs }: Wish, reserved: Turns, pairs: PairLimit, nowMs: number): Turn[] {
  const leftMs = deadlineMs - nowMs;
  let given = 0;
  return people.map((person, place) => {
    const firstMs = waits[place] ?? 0;
    if (leftMs <= 0) return TOO_LATE;
    // Asked again: another request may have taken turns of this pair meanwhile.
    const pairMs = pairs.delayMs(channel.id, person);
    if (pairMs >= leftMs) return never('pair_rate_limited', pairMs);
    const turnMs = reserved.startMs + (given * 1_000) / channel.throughputPerSecond;
    const isReserved = firstMs <= NOW_MS && pairMs <= Math.max(NOW_MS, turnMs);
    if (isReserved && (given++ >= reserved.turns || turnMs >= leftMs)) return never('throughput_limited', turnMs);
    pairs.take(channel.id, person);
    return isReserved ? turnIn(turnMs, nowMs) : { ...turnIn(pairMs, nowMs), kind: 'later', isReserved };
  });
}

/** Of a test channel: it never passes. */
const UNPACED: GivenTurn = { kind: 'now', atMs: 0, untilMs: Number.POSITIVE_INFINITY, isReserved: true };
/** The time was over before our pacing had a part in it. */
const TOO_LATE: Turn = { kind: 'never', error: { code: 'not_attempted' } };

function turnIn(waitMs: number, nowMs: number): GivenTurn {
  const isNow = waitMs <= NOW_MS;
  const atMs = isNow ? nowMs : nowMs + waitMs;
  return { kind: isNow ? 'now' : 'later', atMs, untilMs: atMs + LATE_MS, isReserved: true };
}

function never(code: 'pair_rate_limited' | 'throughput_limited', waitMs: number): Turn {
  return { kind: 'never', error: { code, retry_after_seconds: Math.max(1, Math.ceil(waitMs / 1_000)) } };
}
