import type { ClaimLimits, LiveDelivery } from './claim-store.ts';
import { type EndpointThen, keyOfThen } from './note-store.ts';

/** More at once would look like an attack to a small server. */
const PER_ENDPOINT_MAX = 10;
/** What the endpoints of one account may have at once beside the one of each. */
const EXTRA_PER_ACCOUNT_MAX = 50;
/** The same for all accounts: sockets, and bodies in memory. */
const EXTRA_MAX = 500;
/** How many endpoints may have attempts at once. Each may be a dead one that holds its place until the time-out. */
const OWN_MAX = 2_000;
/** The last one in so many places of each kind is kept for endpoints that can be expected to give it back soon. */
const KEPT_ONE_OF = 8;
/** An endpoint whose last attempt took longer gets none of the places kept: a few thousand like it would hold them all. */
const SOON_MS = 1_000;
/** A proven endpoint is given what it can take within this time; with less, the claims would be its limit. */
const TAKE_FOR_MS = 4_000;
const TAKE_MAX = 400;
/** With this much in memory the large takes end: nothing should wait here until its claim ends. */
const WAITING_MAX = 2_000;
/** A proven endpoint without events is forgotten after this time, and starts with one attempt at a time again. */
const REMEMBERED_MS = 600_000;

/** One endpoint, while this node holds deliveries to it or remembers that it succeeded. */
interface Lane {
  readonly accountId: string;
  readonly endpointId: string;
  /** Claimed and not begun. */
  readonly waiting: Waiting[];
  inFlight: number;
  /** Attempts that have succeeded here since the last one that failed. With one of them the endpoint is proven. */
  inARow: number;
  /** It fails, as a dead one does that holds its place until the time-out, or its last attempt here took long. */
  holdsLong: boolean;
  /** The most that is held of it, if it is proven. */
  takeMax: number;
  /** What the claim under way may take of it. */
  room: number;
  /** The last claim took as much as it was allowed to, so there may be more. */
  more: boolean;
  usedAtMs: number;
}

interface Waiting {
  delivery: LiveDelivery;
  claimedAtMs: number;
}

/**
 * Who may have how many attempts at once, on this node. Every endpoint always has a place of its own, whatever the
 * others do; more than one at once is for an endpoint whose last attempt succeeded. So the dead and the new hold one
 * place each, and cannot take those of others: neither within an account nor beyond it. If they are thousands, they leave an
 * eighth of all places to those that answer soon.
 */
export class Lanes {
  readonly #lanes = new Map<string, Lane>();
  /** Those that have something waiting and are not full; the one that had its turn last comes last. */
  readonly #ready = new Set<Lane>();
  readonly #extraByAccount = new Map<string, number>();
  #extra = 0;
  #own = 0;
  /** Claimed and not begun, of all. */
  #waiting = 0;

  /** How much to claim of each endpoint now. */
  claimRooms(): Pick<ClaimLimits, 'rooms' | 'roomOfOthers' | 'roomOfFailing'> {
    const lanes = [...this.#lanes.values()];
    for (const lane of lanes) lane.room = this.#roomOf(lane);
    const rooms = lanes.map(({ endpointId, room }) => ({ endpointId, room }));
    const roomOfNew = (holdsLong: boolean) => (this.#own < placesFor({ holdsLong }, OWN_MAX) ? 1 : 0);
    return { rooms, roomOfOthers: roomOfNew(false), roomOfFailing: roomOfNew(true) };
  }

  /** Takes over what was claimed with these rooms. */
  add(claimed: readonly LiveDelivery[], nowMs: number): void {
    for (const lane of this.#lanes.values()) lane.more &&= lane.room === 0;
    for (const [, taken] of Map.groupBy(claimed, ({ endpoint_id: id }) => id)) {
      const [first] = taken;
      if (first === undefined) continue;
      const lane = this.#laneOf(first);
      lane.waiting.push(...taken.map((delivery) => ({ delivery, claimedAtMs: nowMs })));
      this.#waiting += taken.length;
      lane.more = taken.length >= lane.room;
      this.#ready.add(lane);
    }
  }

  /** Whether a claim would bring more of this endpoint now. */
  wantsMore({ endpoint_id: endpointId }: LiveDelivery): boolean {
    const lane = this.#lanes.get(endpointId);
    return lane?.more === true && this.#roomOf(lane) > 0;
  }

  /**
   * The next delivery that may begin now; undefined if there is none. What was claimed before `notBeforeMs` is left
   * until its claim ends, because another node may have it by the time of the answer.
   */
  begin(notBeforeMs: number): LiveDelivery | undefined {
    for (const lane of this.#ready) {
      while (lane.waiting[0] !== undefined && lane.waiting[0].claimedAtMs < notBeforeMs) this.#next(lane);
      const next = this.#mayBegin(lane) ? this.#next(lane) : undefined;
      if (next !== undefined) this.#count(lane, 1);
      // One that can begin no more leaves, or each attempt that ends would look at every busy endpoint.
      const staysReady = lane.waiting.length > 0 && !isFull(lane);
      if (next !== undefined || !staysReady) this.#ready.delete(lane);
      if (next === undefined) continue;
      if (staysReady) this.#ready.add(lane);
      return next.delivery;
    }
    return undefined;
  }

  /** An attempt is over. Returns what waits for the same endpoint and is to be given back, because this one failed. */
  end(
    delivery: LiveDelivery,
    { succeeded, durationMs }: { succeeded: boolean; durationMs: number },
    nowMs: number,
  ): LiveDelivery[] {
    const lane = this.#laneOf(delivery);
    this.#count(lane, -1);
    lane.inARow = succeeded ? lane.inARow + 1 : 0;
    lane.holdsLong = !succeeded || durationMs > SOON_MS;
    lane.takeMax = takeFor(durationMs);
    lane.usedAtMs = nowMs;
    if (!succeeded) return this.#empty(lane);
    if (lane.waiting.length > 0) this.#ready.add(lane);
    return [];
  }

  /** The endpoints of which something waits, each as it was when that was claimed. */
  held(): EndpointThen[] {
    const waiting = [...this.#lanes.values()].flatMap((lane) => lane.waiting.map(({ delivery }) => delivery));
    return [...new Map(waiting.map((one) => [keyOfThen(one), one] as const)).values()].map(
      ({ account_id, endpoint_id, endpoint_version }) => ({ account_id, endpoint_id, endpoint_version }),
    );
  }

  /** What waits for an endpoint; it is not kept here any longer. */
  letGo(endpointId: string): LiveDelivery[] {
    const lane = this.#lanes.get(endpointId);
    return lane === undefined ? [] : this.#empty(lane);
  }

  /** All that is claimed and not begun; it is not kept here any longer. */
  clear(): LiveDelivery[] {
    return [...this.#lanes.values()].flatMap((lane) => this.#empty(lane));
  }

  /** Forgets endpoints of which nothing good is known. */
  prune(nowMs: number): void {
    for (const lane of this.#lanes.values()) {
      const remembered = isProven(lane) && nowMs - lane.usedAtMs < REMEMBERED_MS;
      if (lane.inFlight === 0 && lane.waiting.length === 0 && !remembered) this.#lanes.delete(lane.endpointId);
    }
  }

  #laneOf({ account_id: accountId, endpoint_id: endpointId, endpoint_failing: holdsLong }: LiveDelivery): Lane {
    const known = this.#lanes.get(endpointId);
    if (known !== undefined) return known;
    const unproven = { inARow: 0, takeMax: 1, room: 1, more: false, usedAtMs: 0 };
    const lane: Lane = { accountId, endpointId, holdsLong, waiting: [], inFlight: 0, ...unproven };
    this.#lanes.set(endpointId, lane);
    return lane;
  }

  #next(lane: Lane): Waiting | undefined {
    if (lane.waiting.length > 0) this.#waiting -= 1;
    return lane.waiting.shift();
  }

  #empty(lane: Lane): LiveDelivery[] {
    this.#ready.delete(lane);
    this.#waiting -= lane.waiting.length;
    return lane.waiting.splice(0).map(({ delivery }) => delivery);
  }

  /**
   * The next large take is claimed when half of the last one is used up: claims are few, and the endpoint never waits. No more is
   * held than has succeeded in a row, because what waits is given back when one fails: of an endpoint that fails now and then
   * hundreds would be claimed and given back for every few that arrive.
   */
  #roomOf(lane: Lane): number {
    const { inARow, takeMax, waiting, inFlight } = lane;
    const held = waiting.length + inFlight;
    if (!isProven(lane)) return held === 0 ? 1 : 0;
    if (this.#waiting >= WAITING_MAX || takeMax === PER_ENDPOINT_MAX) return Math.max(0, PER_ENDPOINT_MAX - held);
    const mayHold = Math.min(takeMax, Math.max(PER_ENDPOINT_MAX, inARow));
    return held > mayHold / 2 ? 0 : mayHold - held;
  }

  #mayBegin(lane: Lane): boolean {
    if (isFull(lane)) return false;
    if (lane.inFlight === 0) return this.#own < placesFor(lane, OWN_MAX);
    const extraOfAccount = this.#extraByAccount.get(lane.accountId) ?? 0;
    return this.#extra < placesFor(lane, EXTRA_MAX) && extraOfAccount < placesFor(lane, EXTRA_PER_ACCOUNT_MAX);
  }

  /** The first attempt at once of an endpoint has the endpoint's own place, each further one an extra one. */
  #count(lane: Lane, change: 1 | -1): void {
    const before = lane.inFlight;
    lane.inFlight += change;
    if (Math.min(before, lane.inFlight) === 0) {
      this.#own += change;
      return;
    }
    this.#extra += change;
    const extra = (this.#extraByAccount.get(lane.accountId) ?? 0) + change;
    if (extra === 0) this.#extraByAccount.delete(lane.accountId);
    else this.#extraByAccount.set(lane.accountId, extra);
  }
}

/** How many of so many places may be taken for an endpoint to have one more. */
function placesFor({ holdsLong }: Pick<Lane, 'holdsLong'>, placesMax: number): number {
  return holdsLong ? placesMax - Math.floor(placesMax / KEPT_ONE_OF) : placesMax;
}

/** Whether only an attempt that ends makes room for the next one. */
function isFull(lane: Lane): boolean {
  return lane.inFlight >= (isProven(lane) ? PER_ENDPOINT_MAX : 1);
}

/** Whether the last attempt here succeeded. */
function isProven({ inARow }: Lane): boolean {
  return inARow > 0;
}

/** How much is held of an endpoint whose attempts take this long. */
function takeFor(durationMs: number): number {
  const within = Math.floor((PER_ENDPOINT_MAX * TAKE_FOR_MS) / Math.max(durationMs, 1));
  return Math.min(Math.max(within, PER_ENDPOINT_MAX), TAKE_MAX);
}
