import { appendEvents } from '../../events/store.ts';
import { createBatcher } from '../../store/batcher.ts';
import type { Database, Transaction } from '../../store/database.ts';
import { limitLockWaits } from '../../store/lock-timeout.ts';
import { repeatOnConflict } from '../../store/repeat-on-conflict.ts';
import { untilAlone } from '../../store/until-alone.ts';
import { presentEndpoint } from '../present.ts';
import type { ShownEndpoint } from '../store.ts';
import type { AttemptOutcome } from './attempt.ts';
import { insertAttempts, type NewAttempt } from './attempt-store.ts';
import type { LiveDelivery } from './claim-store.ts';
import { type Placed, removeDeliveries, settleDeliveries } from './delivery-store.ts';
import { type AttemptNote, findEnabled, keyAtAddress, noteFailure, noteSuccess } from './note-store.ts';
import { recordSuccesses } from './success-store.ts';

const ROWS_A_COMMIT_MAX = 500;
/** One at a time: what ends meanwhile shares the next one, and fewer, larger commits cost the database less. */
const COMMITS_MAX = 1;
/** Attempts are written down a moment later, several together. A node that is killed meanwhile repeats their events. */
const COMMIT_EVERY_MS = 20;
/** An endpoint that had no success for so long is disabled at its next failure. A promise to customers. */
const FAILING_DAYS_MAX = 5;
const HTTP_GONE = 410;

/** An attempt that was made for a delivery. */
export interface MadeAttempt {
  delivery: Placed & Pick<LiveDelivery, 'claimed_until_us' | 'address_version' | 'endpoint_failing' | 'type'>;
  outcome: AttemptOutcome;
  /** Of a failed one: when to try again; null: never. */
  waitMs: number | null;
}

export interface Recorder {
  /** Settles when the attempt is committed with all that follows from it. If it fails, the delivery may be repeated. */
  add(attempt: MadeAttempt): Promise<void>;
}

/** Records attempts; those that end during one commit share the next. `onEvents`: an event was recorded with them. */
export function createRecorder(
  database: Database,
  onEvents: () => void,
  onCommit: (attempts: number) => void = () => {},
): Recorder {
  const batcher = createBatcher<MadeAttempt, Recorded>({
    itemsMax: ROWS_A_COMMIT_MAX,
    flushesMax: COMMITS_MAX,
    everyMs: COMMIT_EVERY_MS,
    flush: async (made, isPart) => {
      const recorded = await record(database, made, isPart);
      onCommit(made.length);
      if (recorded.disabled.length > 0) onEvents();
      return made.map(() => recorded);
    },
  });
  return {
    async add(attempt) {
      const { removalError } = await batcher.add(attempt);
      if (removalError !== undefined) throw removalError;
    },
  };
}

interface Recorded {
  /** The endpoints that are disabled by it. */
  disabled: ShownEndpoint[];
  /** Why deliveries that are over are still there, although their attempts are written down. */
  removalError?: unknown;
}

async function record(database: Database, made: readonly MadeAttempt[], isPart: boolean): Promise<Recorded> {
  if (isPart || made.some(writesEndpoint)) {
    const commit = (lockWaitMs: number) =>
      repeatOnConflict(() => database.transaction((tx) => recordAny(tx, made, lockWaitMs)));
    return { disabled: await untilAlone(made, isPart, commit) };
  }
  // Nearly always that is all.
  const deliveries = made.map(({ delivery }) => delivery);
  const successes = {
    endpoints: sortEndpoints(made).good,
    attempts: made.map((attempt) => rowOf(attempt, null)),
    deliveries,
  };
  const removed = await repeatOnConflict(() => recordSuccesses(database, successes));
  if (removed === deliveries.length) return { disabled: [] };
  // A crash before this is over repeats a delivery, as does a crash before the attempts are written down. By now they are
  // written, and must not be written again. So after a conflict only the removal is repeated, and its error is a result: thrown,
  // it would make the batcher write the halves of the batch again.
  const removal = repeatOnConflict(() => removeDeliveries(database, deliveries));
  const removalError = await removal.then(
    () => undefined,
    (error: unknown) => error,
  );
  return { disabled: [], removalError };
}

/** Then it may meet a row that somebody keeps locked, and without a limit all that this node records would wait for that. */
function writesEndpoint({ delivery, outcome }: MadeAttempt): boolean {
  return outcome.outcome !== 'succeeded' || delivery.endpoint_failing;
}

/** Returns the endpoints that are disabled by it. */
async function recordAny(tx: Transaction, made: readonly MadeAttempt[], lockWaitMs: number): Promise<ShownEndpoint[]> {
  const { good, bad } = sortEndpoints(made);
  await limitLockWaits(tx, lockWaitMs);
  if (good.length > 0) await noteSuccess(tx, good);
  const disabled = bad.length > 0 ? await noteFailure(tx, bad, FAILING_DAYS_MAX) : [];
  const again = made.flatMap(({ delivery, waitMs }) => (waitMs === null ? [] : [delivery]));
  // An endpoint that an earlier commit has turned off is not among those disabled here. No attempt at it names a next one either.
  const on = again.length > 0 ? await findEnabled(tx, onePerEndpoint(again)) : new Set();
  await insertAttempts(
    tx,
    made.map((attempt) => rowOf(attempt, on.has(attempt.delivery.endpoint_id) ? attempt.waitMs : null)),
  );
  await settleDeliveries(
    tx,
    made.map(({ delivery, waitMs }) => ({ ...delivery, waitMs })),
  );
  await appendEvents(tx, disabled.map(disabledEvent));
  return disabled;
}

function onePerEndpoint<Delivery extends { endpoint_id: string }>(deliveries: readonly Delivery[]): Delivery[] {
  return [...new Map(deliveries.map((delivery) => [delivery.endpoint_id, delivery])).values()];
}

function rowOf({ delivery, outcome }: MadeAttempt, waitMs: number | null): NewAttempt {
  return {
    id: outcome.id,
    at: outcome.at,
    outcome: outcome.outcome,
    http_status: outcome.http_status,
    error: outcome.error,
    duration_ms: outcome.duration_ms,
    answer: outcome.answer,
    account_id: delivery.account_id,
    endpoint_id: delivery.endpoint_id,
    event_id: delivery.event_id,
    type: delivery.type,
    number: delivery.attempts + 1,
    waitMs,
  };
}

/** One success among the attempts at an endpoint, at one address, outweighs its failures, but not its 410. */
function sortEndpoints(made: readonly MadeAttempt[]): { good: AttemptNote[]; bad: AttemptNote[] } {
  const byEndpoint = [...Map.groupBy(made, ({ delivery }) => keyAtAddress(delivery))]
    // Always in one order, so that two nodes never wait for each other.
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, attempts]) => {
      const [first] = attempts;
      if (first === undefined) return [];
      const { account_id, endpoint_id, address_version } = first.delivery;
      const gone = attempts.some(({ outcome }) => outcome.http_status === HTTP_GONE);
      const succeeded = attempts.some(({ outcome }) => outcome.outcome === 'succeeded');
      return [{ account_id, endpoint_id, address_version, gone, succeeded }];
    });
  const isGood = ({ gone, succeeded }: { gone: boolean; succeeded: boolean }) => succeeded && !gone;
  return { good: byEndpoint.filter(isGood), bad: byEndpoint.filter((one) => !isGood(one)) };
}

function disabledEvent(row: ShownEndpoint) {
  const data = { endpoint: presentEndpoint(row) };
  return { accountId: row.account_id, mode: row.mode, type: 'endpoint.disabled' as const, data, traceparent: null };
}
