import type { ClaimedDelivery, ClaimLimits } from './delivery-store.ts';

/** More at once would look like an attack to a small server. */
const PER_ENDPOINT_MAX = 10;
/** What the endpoints of one account may have at once beside the one of each. */
const EXTRA_PER_ACCOUNT_MAX = 50;
/** The same for all accounts: sockets, and bodies in memory. */
const EXTRA_MAX = 500;
/** Endpoints with their one attempt at once. Each may be a dead one that holds its place until the time-out. */
const OWN_MAX = 2_000;
/** A proven endpoint that answers within this time gets its events in larger takes, or the claims would be its limit. */
const QUICK_MS = 250;
const TAKE_OF_QUICK = 200;
/** With so much in memory the larger takes end: nothing shall wait here until its lease ends. */
const WAITING_MAX = 2_000;
/** A proven endpoint that rests is forgotten after this time, and starts with one at once when it comes back. */
const REMEMBERED_MS = 600_000;

/** One endpoint while this node has something of it, or remembers something good. */
interface Lane {
  readonly accountId: string;
  readonly endpointId: string;
  /** Claimed and not begun. */
  readonly waiting: Waiting[];
  inFlight: number;
  /** The last attempt here succeeded. */
  proven: boolean;
  quick: boolean;
  /** What the claim under way may take of it. */
  room: number;
  /** The last claim took all that it might, so there may be more. */
  more: boolean;
  usedAtMs: number;
}

interface Waiting {
  delivery: ClaimedDelivery;
  claimedAtMs: number;
}

/**
 * Who may have how many attempts at once, on this node. Every endpoint always has a place of its own, whatever the
 * others do; more than one at once is for an endpoint whose last attempt succeeded. So the dead and the new hold one
 * place each, and cannot take those of others: neither within an account nor beyond it.
 */
export class Lanes {
  readonly #lanes = new Map<string, Lane>();
  /** Those with something waiting, by the same key. */
  readonly #ready = new Set<Lane>();
  readonly #extraByAccount = new Map<string, number>();
  #extra = 0;
  #own = 0;

  /** How much to claim of each endpoint now. */
  claimRooms(): Pick<ClaimLimits, 'rooms' | 'roomOfOthers'> {
    const lanes = [...this.#lanes.values()];
    const waiting = lanes.reduce((sum, lane) => sum + lane.waiting.length, 0);
    for (const lane of lanes) lane.room = roomOf(lane, waiting < WAITING_MAX);
    const rooms = lanes.map(({ endpointId, room }) => ({ endpointId, room }));
    return { rooms, roomOfOthers: this.#own < OWN_MAX ? 1 : 0 };
  }

  /** Takes over what was claimed with these rooms. */
  add(claimed: readonly ClaimedDelivery[], nowMs: number): void {
    for (const lane of this.#lanes.values()) lane.more &&= lane.room === 0;
    for (const [, taken] of Map.groupBy(claimed, ({ endpoint_id: id }) => id)) {
      const [first] = taken;
      if (first === undefined) continue;
      const lane = this.#laneOf(first);
      lane.waiting.push(...taken.map((delivery) => ({ delivery, claimedAtMs: nowMs })));
      lane.more = taken.length >= lane.room;
      this.#ready.add(lane);
    }
  }

  /** Whether a claim would bring more of this endpoint now. */
  wantsMore({ endpoint_id: endpointId }: ClaimedDelivery): boolean {
    const lane = this.#lanes.get(endpointId);
    return lane?.more === true && roomOf(lane, true) > 0;
  }

  /**
   * The next delivery that may begin now; undefined if there is none. What was claimed before `notBeforeMs` is left to
   * its lease, because another node may have it by the time of the answer.
   */
  begin(notBeforeMs: number): ClaimedDelivery | undefined {
    for (const lane of this.#ready) {
      while (lane.waiting[0] !== undefined && lane.waiting[0].claimedAtMs < notBeforeMs) lane.waiting.shift();
      const next = this.#mayBegin(lane) ? lane.waiting.shift() : undefined;
      if (lane.waiting.length === 0) this.#ready.delete(lane);
      if (next === undefined) continue;
      this.#count(lane, 1);
      return next.delivery;
    }
    return undefined;
  }

  /** An attempt is over. Returns what waits for the same endpoint and is to be given back, because this one failed. */
  end(
    delivery: ClaimedDelivery,
    { succeeded, durationMs }: { succeeded: boolean; durationMs: number },
    nowMs: number,
  ): ClaimedDelivery[] {
    const lane = this.#laneOf(delivery);
    this.#count(lane, -1);
    lane.proven = succeeded;
    lane.quick = succeeded && durationMs < QUICK_MS;
    lane.usedAtMs = nowMs;
    return succeeded ? [] : this.#empty(lane);
  }

  /** All that is claimed and not begun; it is not kept here any longer. */
  clear(): ClaimedDelivery[] {
    return [...this.#ready].flatMap((lane) => this.#empty(lane));
  }

  /** Forgets endpoints that nothing is known of. */
  prune(nowMs: number): void {
    for (const lane of this.#lanes.values()) {
      const remembered = lane.proven && nowMs - lane.usedAtMs < REMEMBERED_MS;
      if (lane.inFlight === 0 && lane.waiting.length === 0 && !remembered) this.#lanes.delete(lane.endpointId);
    }
  }

  #laneOf({ account_id: accountId, endpoint_id: endpointId }: ClaimedDelivery): Lane {
    const known = this.#lanes.get(endpointId);
    if (known !== undefined) return known;
    const nothing = { waiting: [], inFlight: 0, proven: false, quick: false, room: 1, more: false, usedAtMs: 0 };
    const lane: Lane = { accountId, endpointId, ...nothing };
    this.#lanes.set(endpointId, lane);
    return lane;
  }

  #empty(lane: Lane): ClaimedDelivery[] {
    this.#ready.delete(lane);
    return lane.waiting.splice(0).map(({ delivery }) => delivery);
  }

  #mayBegin(lane: Lane): boolean {
    if (lane.inFlight === 0) return this.#own < OWN_MAX;
    if (!lane.proven || lane.inFlight >= PER_ENDPOINT_MAX) return false;
    return this.#extra < EXTRA_MAX && (this.#extraByAccount.get(lane.accountId) ?? 0) < EXTRA_PER_ACCOUNT_MAX;
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

/** A large take is asked for when half of the one before is used up, so that claims are few and the endpoint never waits. */
function roomOf(lane: Lane, largeTakes: boolean): number {
  const held = lane.waiting.length + lane.inFlight;
  if (!lane.proven) return held === 0 ? 1 : 0;
  if (!lane.quick || !largeTakes) return Math.max(0, PER_ENDPOINT_MAX - held);
  return held > TAKE_OF_QUICK / 2 ? 0 : TAKE_OF_QUICK - held;
}
