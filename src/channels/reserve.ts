import type { SteadyClock } from '../kernel/clock.ts';
import { storeTooSlow } from '../kernel/store-unavailable.ts';
import { withinMs } from '../kernel/within-ms.ts';
import { createBatcher } from '../store/batcher.ts';
import type { Queryable } from '../store/database.ts';
import type { SendingChannel } from './channels.ts';
import { type PaceGrant, type PaceWish, reserveTurns } from './pacing-store.ts';
import { createTurnStock, LATE_MS, NO_TURNS, type TurnStock, type Turns, WINDOW_MS } from './turn-stock.ts';

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
 * Reserves so many turns of a channel, from what this node has reserved ahead or in the store. There may be fewer, or none, before the
 * deadline, which is one of the steady clock. Throws `StoreUnavailable` when the store tells nothing before it.
 */
export type Reserve = (channel: SendingChannel, messages: number, deadlineMs: number) => Promise<Turns>;

/** Makes what keeps the throughput of channels across all nodes. Wishes of one moment share a query. */
export function createReserve(database: Queryable, clock: SteadyClock): Reserve {
  const stock = createTurnStock(clock);
  const reservations = createBatcher<OwnWish, Turns>({
    itemsMax: WISHES_A_QUERY_MAX,
    // One reservation after the other: those who wait meanwhile may find enough in what the one before has reserved ahead.
    flushesMax: 1,
    flush: (wishes) => reserveTogether({ database, stock, nowMs: clock.steadyMs() }, wishes),
  });
  return async ({ id: channelId, accountId, throughputPerSecond: perSecond }, messages, deadlineMs) => {
    stock.want(channelId, messages);
    const kept = stock.take(channelId, messages, perSecond);
    if (kept !== undefined) return kept;
    const reserved = reservations.add({ accountId, channelId, messages, perSecond, deadlineMs });
    return withinMs(reserved, deadlineMs - clock.steadyMs(), tooLong);
  };
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
    if (deadlineMs <= nowMs) return NO_TURNS;
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
