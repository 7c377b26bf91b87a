import type { Logger } from 'pino';
import { eventText } from '../../events/event-text.ts';
import { findEvent } from '../../events/store.ts';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import { formatId } from '../../kernel/ids.ts';
import { createReadsInTurn } from '../../kernel/reads-in-turn.ts';
import { createRest } from '../../kernel/rest.ts';
import { unwatched, type WatchRound } from '../../observe/loops.ts';
import type { Database } from '../../store/database.ts';
import { isPassingFailure } from '../../store/passing-failure.ts';
import { repeatOnConflict } from '../../store/repeat-on-conflict.ts';
import type { AttemptOutcome, Attempts } from './attempt.ts';
import { type ClaimedDelivery, claimDeliveries, type LiveDelivery } from './claim-store.ts';
import { releaseDeliveries, removeDeliveries } from './delivery-store.ts';
import { Lanes } from './lanes.ts';
import { type EndpointThen, findUnchanged, keyOfThen } from './note-store.ts';
import { createRecorder, type MadeAttempt, type Recorder } from './record.ts';
import { waitAfterMs } from './schedule.ts';
import { noteDelivering } from './time-off-store.ts';

/** How soon it finds what other nodes have recorded or left, and what is due again. */
export const POLL_MS = 1_000;
/** The most that one claim takes, so that it is short and its events fit into memory. */
const CLAIM_MAX = 1_000;
/** How long a claim lasts: the time to the first byte, an attempt, its recording, and a margin. Then other nodes take it over. */
const CLAIM_MS = 45_000;
const BEGIN_WITHIN_MS = 15_000;
/** How soon the deliveries that wait here learn that another node has changed their endpoint. Within two seconds, as is promised. */
const LOOK_EVERY_MS = 1_000;
/** Large events are read one at a time: the reads of some hundred would take all connections to the database, and nobody could send. */
const LARGE_READS_MAX = 1;
/** So long one waits for its turn. What is begun in time and waits so long still ends before its claim does. */
const LARGE_READ_WAIT_MS = 10_000;
/** If one look hangs, on a connection that has died without a word, the next ones go beside it. If two do, the store is in trouble. */
const LOOKS_MAX = 2;
/** How often it notes that deliveries are looked for. Time in which no node does so does not count against failing endpoints. */
const NOTE_EVERY_MS = 60_000;

export interface Deliveries {
  /** Events were recorded: do not wait for the next poll. */
  nudge(): void;
  /** An endpoint was changed or deleted: no attempt begins any more at what it was before. */
  changed(endpointId: string): void;
  /** Begins nothing more, waits up to `budgetMs` for the attempts under way, and gives back what was not begun. */
  stop(budgetMs: number): Promise<void>;
}

export interface DeliveriesDeps {
  database: Database;
  /** This node, in whose name deliveries are claimed. */
  nodeId: string;
  attempts: Attempts;
  clock: Clock;
  docsUrl(): string;
  log: Logger;
  watch?: WatchRound;
  /** Told after each commit, with the number of attempts in it. */
  onCommit?: (attempts: number) => void;
  /** Told after each attempt. */
  onAttempt?(carried: CarriedDelivery): void;
}

/** A delivery after an attempt. `waitMs` null: there is no next one. */
export interface CarriedDelivery {
  delivery: LiveDelivery;
  outcome: AttemptOutcome;
  waitMs: number | null;
}

/** Carries events to the endpoints, as long as the process lives. Nodes share the work delivery by delivery. */
export function startDeliveries(deps: DeliveriesDeps): Deliveries {
  const carrier = new Carrier(deps);
  return {
    nudge: () => carrier.nudge(),
    changed: (endpointId) => carrier.changed(endpointId),
    stop: (budgetMs) => carrier.stop(budgetMs),
  };
}

class Carrier {
  readonly #deps: DeliveriesDeps;
  readonly #recorder: Recorder;
  readonly #lanes = new Lanes();
  readonly #rounds = createRest(POLL_MS);
  readonly #readInTurn = createReadsInTurn({
    atOnceMax: () => LARGE_READS_MAX,
    waitMs: LARGE_READ_WAIT_MS,
    clock: systemClock,
  });
  readonly #underWay = new Set<Promise<void>>();
  readonly #aborting = new AbortController();
  readonly #loop: Promise<void>;
  /** The endpoints that were changed while a claim was under way: it may have read them as they were before. */
  readonly #changedMeanwhile = new Set<string>();
  /** Apart from the rounds: a claim may wait for as long as a statement may take, and what is held here is begun meanwhile. */
  readonly #looks = setInterval(() => this.#look(), LOOK_EVERY_MS);
  #looksUnderWay = 0;
  #stopped = false;
  #notedMs = Number.NEGATIVE_INFINITY;
  #after: string | null = null;

  constructor(deps: DeliveriesDeps) {
    this.#deps = deps;
    this.#recorder = createRecorder(deps.database, () => this.nudge(), deps.onCommit);
    this.#loop = this.#run();
  }

  nudge(): void {
    this.#rounds.nudge();
  }

  changed(...endpointIds: string[]): void {
    for (const id of endpointIds) this.#changedMeanwhile.add(id);
    const released = this.#release(endpointIds.flatMap((id) => this.#lanes.letGo(id)));
    this.#keep(released.finally(() => this.nudge()));
  }

  async stop(budgetMs: number): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#looks);
    this.#rounds.nudge();
    // From now on: the claim under way may take as long as the database likes.
    const timer = setTimeout(() => this.#aborting.abort(), budgetMs);
    await this.#loop;
    const waiting = this.#lanes.clear();
    await this.#release(waiting);
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
    clearTimeout(timer);
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      const nudgesBefore = this.#rounds.nudges;
      const mayBeMore = await this.#round();
      if (!mayBeMore) await this.#rounds.rest(nudgesBefore);
    }
  }

  /** Whether there may be more to take at once. */
  async #round(): Promise<boolean> {
    const { database, nodeId, log, watch = unwatched } = this.#deps;
    const nowMs = performance.now();
    this.#lanes.prune(nowMs);
    const take = { deliveriesMax: CLAIM_MAX, claimSeconds: CLAIM_MS / 1_000, nodeId, after: this.#after };
    this.#changedMeanwhile.clear();
    const claimed = await watch(async () => {
      await this.#noteDelivering();
      return claimDeliveries(database, { ...this.#lanes.claimRooms(), ...take });
    }).catch((error: unknown) => {
      if (!isPassingFailure(error)) throw error;
      // Nothing was taken, or its claim will end: the next round tries again.
      log.warn({ err: error }, 'deliveries.claim_failed');
      return undefined;
    });
    if (claimed === undefined) return false;
    const passedOver = this.#after !== null;
    this.#after = claimed.length < CLAIM_MAX ? null : lastOf(claimed);
    const expired = claimed.filter((delivery) => !isLive(delivery));
    await this.#drop(expired);
    this.#lanes.add(claimed.filter(isLive), nowMs);
    const outdated = [...this.#changedMeanwhile].flatMap((endpointId) => this.#lanes.letGo(endpointId));
    this.#begin();
    await this.#release(outdated);
    return claimed.length === CLAIM_MAX || passedOver || expired.length > 0 || outdated.length > 0;
  }

  /** Before anything is claimed. By the time of day, because the other clock may stand still while the machine sleeps. */
  async #noteDelivering(): Promise<void> {
    const nowMs = this.#deps.clock.nowMs();
    if (Math.abs(nowMs - this.#notedMs) < NOTE_EVERY_MS) return;
    await noteDelivering(this.#deps.database);
    this.#notedMs = nowMs;
  }

  #look(): void {
    const held = this.#lanes.held();
    if (held.length === 0 || this.#looksUnderWay >= LOOKS_MAX) return;
    this.#looksUnderWay += 1;
    const looked = this.#tryStore(() => this.#letGoOfChanged(held));
    this.#keep(
      looked.finally(() => {
        this.#looksUnderWay -= 1;
      }),
    );
  }

  /** What other nodes have changed. */
  async #letGoOfChanged(held: readonly EndpointThen[]): Promise<void> {
    const unchanged = new Set((await findUnchanged(this.#deps.database, held)).map(keyOfThen));
    const changed = held.filter((then) => !unchanged.has(keyOfThen(then)));
    if (changed.length > 0) this.changed(...changed.map(({ endpoint_id: id }) => id));
  }

  #begin(): void {
    if (this.#stopped) return;
    const notBeforeMs = performance.now() - BEGIN_WITHIN_MS;
    for (let next = this.#lanes.begin(notBeforeMs); next !== undefined; next = this.#lanes.begin(notBeforeMs)) {
      this.#keep(this.#carry(next));
    }
  }

  /** A stop waits for it. */
  #keep(work: Promise<void>): void {
    const kept = work.finally(() => this.#underWay.delete(kept));
    this.#underWay.add(kept);
  }

  async #carry(delivery: LiveDelivery): Promise<void> {
    const { attempts, clock, docsUrl } = this.#deps;
    const data = delivery.data ?? (await this.#readLarge(delivery));
    if (data === undefined) return this.#leave(delivery);
    const eventId = formatId('evt', delivery.event_id);
    const { account_id, sequence, type, at_ms } = delivery;
    // Written out: to copy all of a delivery for this and for its record took 3 of the 70 µs that an event takes this process.
    const body = eventText({ id: delivery.event_id, account_id, sequence, type, data, at_ms }, docsUrl());
    const destination = {
      accountId: account_id,
      endpointId: delivery.endpoint_id,
      mode: delivery.mode,
      url: delivery.url,
      secretSealed: delivery.secret_sealed,
      previousSecretSealed: delivery.previous_secret_sealed,
    };
    const parcel = { eventId, body, traceparent: delivery.traceparent };
    const outcome = await attempts.attempt(destination, parcel, this.#aborting.signal);
    const succeeded = outcome.outcome === 'succeeded';
    const left = this.#lanes.end(delivery, { succeeded, durationMs: outcome.duration_ms }, performance.now());
    this.#begin();
    if (this.#lanes.wantsMore(delivery)) this.nudge();
    if (this.#aborting.signal.aborted && !succeeded) return this.#release([delivery, ...left]);
    const number = delivery.attempts + 1;
    const waitMs = succeeded ? null : waitAfterMs(number, outcome.retryAfter, clock.nowMs(), Math.random);
    this.#deps.onAttempt?.({ delivery, outcome, waitMs });
    await Promise.all([this.#release(left), this.#record({ delivery, outcome, waitMs })]);
    if (left.length > 0) this.nudge();
  }

  /** undefined: the event has expired since the claim, and its delivery is removed; or it cannot be read now, or its endpoint has changed. */
  async #readLarge(delivery: LiveDelivery): Promise<string | undefined> {
    const { account_id: accountId, mode, event_id: id } = delivery;
    try {
      const event = await this.#readInTurn(accountId, async () =>
        this.#aborting.signal.aborted ? 'stopped' : findEvent(this.#deps.database, { accountId, mode }, id),
      );
      if (event === 'stopped') return undefined;
      if (event === undefined) {
        await this.#drop([delivery]);
        return undefined;
      }
      // It has waited, and no attempt begins at what the endpoint was before. What is claimed anew has the endpoint as it is.
      const [unchanged] = await findUnchanged(this.#deps.database, [delivery]);
      return unchanged && event.data;
    } catch (error) {
      // Its turn did not come in time, because many others of its account wait too. It is due again.
      if (error instanceof ApiError && error.code === 'unavailable') return undefined;
      if (!isPassingFailure(error)) throw error;
      this.#deps.log.warn({ err: error }, 'deliveries.read_failed');
      return undefined;
    }
  }

  /** No attempt was made. Its claim ends now if it is still there, and it is due again. */
  async #leave(delivery: LiveDelivery): Promise<void> {
    const left = this.#lanes.end(delivery, { succeeded: false, durationMs: 0 }, performance.now());
    this.#begin();
    await this.#release([delivery, ...left]);
  }

  async #record(made: MadeAttempt): Promise<void> {
    try {
      await this.#recorder.add(made);
    } catch (error) {
      if (!isPassingFailure(error)) throw error;
      // The claim ends, and the event is tried once more: at least once is the promise.
      this.#deps.log.warn({ err: error }, 'deliveries.record_failed');
    }
  }

  async #release(deliveries: readonly ClaimedDelivery[]): Promise<void> {
    if (deliveries.length > 0) await this.#tryStore(() => releaseDeliveries(this.#deps.database, deliveries));
  }

  /** Removes those whose events have expired: there is nothing left to deliver. */
  async #drop(deliveries: readonly ClaimedDelivery[]): Promise<void> {
    if (deliveries.length > 0) await this.#tryStore(() => removeDeliveries(this.#deps.database, deliveries));
  }

  async #tryStore(work: () => Promise<void>): Promise<void> {
    try {
      await repeatOnConflict(work);
    } catch (error) {
      if (!isPassingFailure(error)) throw error;
      // The claim ends by itself.
      this.#deps.log.warn({ err: error }, 'deliveries.release_failed');
    }
  }
}

function isLive(delivery: ClaimedDelivery): delivery is LiveDelivery {
  return delivery.type !== null;
}

/** The largest id of an endpoint among them. */
function lastOf(claimed: readonly ClaimedDelivery[]): string {
  return claimed.map(({ endpoint_id: id }) => id).reduce((last, id) => (id > last ? id : last));
}
