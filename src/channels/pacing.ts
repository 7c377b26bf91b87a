import type { SteadyClock } from '../kernel/clock.ts';
import type { MessageError } from '../kernel/message-errors.ts';
import { storeTooSlow } from '../kernel/store-unavailable.ts';
import { withinMs } from '../kernel/within-ms.ts';
import { createBatcher } from '../store/batcher.ts';
import type { Queryable } from '../store/database.ts';
import type { SendingChannel } from './channels.ts';
import { createLateRoom } from './late-room.ts';
import { type PaceGrant, type PaceWish, reserveTurns } from './pacing-store.ts';
import { createPairLimit } from './pair-limit.ts';
import { createTurnStock, LATE_MS, type TurnStock, type Turns, WINDOW_MS } from './turn-stock.ts';

/** A wait shorter than this is none: the way to the provider differs by more. */
const NOW_MS = 5;
const WISHES_A_QUERY_MAX = 500;
/** What an idle channel may make up for at once. */
const SAVED_MS = LATE_MS;
/**
 * The same where turns are reserved ahead. With all of `SAVED_MS` the first turns would be nearly too late when they are given, and the others
 * would be so within moments: a channel below its throughput would have to ask the store for nearly every send.
 */
const SAVED_AHEAD_MS = LATE_MS - WINDOW_MS;
/** The wish of one request. What is saved up, and the horizon, are decided when the wishes of a moment are reserved together. */
type OwnWish = Omit<PaceWish, 'savedMs' | 'horizonMs'> & { deadlineMs: number };
/** By then nobody has a use for the turns, and they pass unused. */
const tooLong = storeTooSlow('No turns before the deadline', false);

/**
 * When a message may go: at once, later, or never within its deadline. It may be used from `atMs` until `untilMs` of the steady
 * clock. Then it has passed: if those that pass while something is slow were used, all of them would go at once. One that is
 * not `isReserved` is only the person's: at its time the message needs one of the channel, by `anotherTurn`.
 */
export type Turn =
  | { kind: 'now' | 'later'; atMs: number; untilMs: number; isReserved: boolean }
  | { kind: 'never'; error: MessageError };

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

/**
 * Keeps the provider's limits: a channel's throughput across all nodes, the pair limit by this node. Wishes of one moment
 * share a query.
 */
export function createPacing(database: Queryable, clock: SteadyClock): Pacing {
  const pairs = createPairLimit(clock);
  const stock = createTurnStock(clock);
  const lateRoom = createLateRoom(clock);
  const reservations = createBatcher<OwnWish, Turns>({
    itemsMax: WISHES_A_QUERY_MAX,
    // One reservation after the other: those who wait meanwhile may find enough in what the one before has reserved ahead.
    flushesMax: 1,
    flush: (wishes) => reserveTogether({ database, stock, nowMs: clock.steadyMs() }, wishes),
  });

  async function reserve(channel: SendingChannel, messages: number, deadlineMs: number): Promise<Turns> {
    const { id: channelId, accountId, throughputPerSecond: perSecond } = channel;
    stock.want(channelId, messages);
    const kept = stock.take(channelId, messages, perSecond);
    if (kept !== undefined) return kept;
    const reserved = reservations.add({ accountId, channelId, messages, perSecond, deadlineMs });
    return withinMs(reserved, deadlineMs - clock.steadyMs(), tooLong);
  }

  return {
    async turnsFor(channel, people, deadlineMs) {
      if (channel.sender.mode === 'test') return people.map(() => UNPACED);
      const horizonMs = Math.floor(deadlineMs - clock.steadyMs());
      if (horizonMs <= 0) return people.map(() => TOO_LATE);
      const waits = people.map((person) => pairs.delayMs(channel.id, person));
      // A turn of the channel is reserved only for those who need not wait for their pair: reserved now, the turns of the others would
      // pass before they are used, and many such messages would then go at once.
      const wanting = waits.filter((waitMs) => waitMs <= NOW_MS).length;
      const grant = wanting === 0 ? NOTHING : await reserve(channel, wanting, deadlineMs);
      // Read again: turns are counted from the moment in which the store gave them, and it may have been slow.
      const nowMs = clock.steadyMs();
      const leftMs = deadlineMs - nowMs;
      let given = 0;
      return people.map((person, place) => {
        const firstMs = waits[place] ?? 0;
        if (firstMs >= horizonMs) return never('pair_rate_limited', firstMs);
        if (leftMs <= 0) return TOO_LATE;
        // Asked again: another request may have taken turns of this pair meanwhile.
        const pairMs = pairs.delayMs(channel.id, person);
        if (pairMs >= leftMs) return never('pair_rate_limited', pairMs);
        const turnMs = grant.startMs + (given * 1_000) / channel.throughputPerSecond;
        const isReserved = firstMs <= NOW_MS && pairMs <= Math.max(NOW_MS, turnMs);
        if (isReserved && (given++ >= grant.turns || turnMs >= leftMs)) return never('throughput_limited', turnMs);
        pairs.take(channel.id, person);
        return isReserved ? turnIn(turnMs, nowMs) : { ...turnIn(pairMs, nowMs), kind: 'later', isReserved };
      });
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

/** Of a test channel: it never passes. */
const UNPACED: Turn = { kind: 'now', atMs: 0, untilMs: Number.POSITIVE_INFINITY, isReserved: true };
/** The time was over before our pacing had a part in it. */
const TOO_LATE: Turn = { kind: 'never', error: { code: 'not_attempted' } };
const NOTHING: Turns = { startMs: 0, turns: 0 };

function turnIn(waitMs: number, nowMs: number): Exclude<Turn, { kind: 'never' }> {
  const isNow = waitMs <= NOW_MS;
  const atMs = isNow ? nowMs : nowMs + waitMs;
  return { kind: isNow ? 'now' : 'later', atMs, untilMs: atMs + LATE_MS, isReserved: true };
}

function never(code: 'pair_rate_limited' | 'throughput_limited', waitMs: number): Turn {
  return { kind: 'never', error: { code, retry_after_seconds: Math.max(1, Math.ceil(waitMs / 1_000)) } };
}

/** What a reservation is made with, at a time of the steady clock. */
interface Asked {
  database: Queryable;
  stock: TurnStock;
  nowMs: number;
}

/**
 * Wishes for the same channel are one wish to the store, and share what it gives in the order of their coming. What is
 * reserved ahead is reserved once for all of them, and what they leave of it is kept.
 */
async function reserveTogether(asked: Asked, wishes: readonly OwnWish[]): Promise<Turns[]> {
  const { stock, nowMs } = asked;
  const kept = wishes.map(({ channelId, messages, perSecond, deadlineMs }) => {
    // Its deadline has passed while the store kept it waiting: its caller was answered, and must not take the turns of others.
    if (deadlineMs <= nowMs) return NOTHING;
    // Asked again: while they waited, those before them may have left enough.
    return stock.take(channelId, messages, perSecond);
  });
  const asking = wishes.filter((_, place) => kept[place] === undefined);
  const grants = await reserveSums(asked, asking);
  const shares = wishes.map(({ channelId, messages, perSecond }, place) => {
    const own = kept[place];
    if (own !== undefined) return own;
    const grant = grants.get(channelId);
    if (grant === undefined) throw new Error('A channel that asked for turns got no answer');
    const share = { startMs: grant.startMs, turns: Math.min(messages, grant.turns) };
    grant.startMs += (share.turns * 1_000) / perSecond;
    grant.turns -= share.turns;
    return share;
  });
  for (const [channelId, left] of grants) stock.put(channelId, left);
  return shares;
}

async function reserveSums(
  { database, stock, nowMs }: Asked,
  wishes: readonly OwnWish[],
): Promise<Map<string, PaceGrant>> {
  if (wishes.length === 0) return new Map();
  const byChannel = Map.groupBy(wishes, ({ channelId }) => channelId);
  const summed = [...byChannel.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { accountId, channelId, perSecond } = first;
    const ahead = stock.ahead(channelId, perSecond);
    const messages = group.reduce((sum, wish) => sum + wish.messages, ahead);
    const horizonMs = Math.floor(Math.max(...group.map(({ deadlineMs }) => deadlineMs - nowMs)));
    const savedMs = ahead > 0 ? SAVED_AHEAD_MS : SAVED_MS;
    return [{ accountId, channelId, perSecond, messages, horizonMs, savedMs }];
  });
  const grants = await reserveTurns(database, summed);
  return new Map(grants.map((grant) => [grant.channelId, { ...grant }]));
}
