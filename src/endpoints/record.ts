import { appendEvents } from '../events/store.ts';
import { createBatcher } from '../store/batcher.ts';
import type { Database, Transaction } from '../store/database.ts';
import type { AttemptOutcome } from './attempt.ts';
import { type DisabledEndpoint, insertAttempts, noteFailure, noteSuccess } from './attempt-store.ts';
import { type ClaimedDelivery, postponeDeliveries, removeDeliveries } from './delivery-store.ts';
import { presentEndpoint } from './present.ts';

const ROWS_A_COMMIT_MAX = 500;
/** One at a time, so that what ends meanwhile shares the next: fewer and larger commits cost the database less. */
const COMMITS_MAX = 1;
/** An endpoint that had no success for so long is disabled at its next failure. A promise to customers. */
const FAILING_DAYS_MAX = 5;
const HTTP_GONE = 410;

/** An attempt that was made for a delivery. */
export interface MadeAttempt {
  delivery: Pick<ClaimedDelivery, 'account_id' | 'endpoint_id' | 'event_id' | 'attempts'> & { type: string };
  outcome: AttemptOutcome;
  /** Of a failed one: when to try again; null: never. */
  waitMs: number | null;
}

export interface Recorder {
  /** Settles when the attempt is committed with all that follows from it. */
  add(attempt: MadeAttempt): Promise<void>;
  /** Resolves when nothing waits to be committed. */
  idle(): Promise<void>;
}

/** Records attempts; those that end during one commit share the next. `onEvents`: an event was recorded with them. */
export function createRecorder(
  database: Database,
  onEvents: () => void,
  onCommit: (attempts: number) => void = () => {},
): Recorder {
  return createBatcher<MadeAttempt, void>({
    itemsMax: ROWS_A_COMMIT_MAX,
    flushesMax: COMMITS_MAX,
    flush: async (made) => {
      const disabled = await database.transaction((tx) => record(tx, made));
      onCommit(made.length);
      if (disabled.length > 0) onEvents();
      return made.map(() => undefined);
    },
  });
}

async function record(tx: Transaction, made: readonly MadeAttempt[]): Promise<DisabledEndpoint[]> {
  const disabled = await noteEndpoints(tx, made);
  const off = new Set(disabled.map(({ id }) => id));
  await insertAttempts(
    tx,
    made.map(({ delivery, outcome: { retryAfter: _, ...attempt }, waitMs }) => ({
      ...attempt,
      account_id: delivery.account_id,
      endpoint_id: delivery.endpoint_id,
      event_id: delivery.event_id,
      type: delivery.type,
      number: delivery.attempts + 1,
      waitMs: off.has(delivery.endpoint_id) ? null : waitMs,
    })),
  );
  const again = made.flatMap(({ delivery, waitMs }) => (waitMs === null ? [] : [{ ...delivery, waitMs }]));
  const over = made.flatMap(({ delivery, waitMs }) => (waitMs === null ? [delivery] : []));
  if (over.length > 0) await removeDeliveries(tx, over);
  if (again.length > 0) await postponeDeliveries(tx, again);
  await appendEvents(tx, disabled.map(disabledEvent));
  return disabled;
}

/** One success among the attempts at an endpoint outweighs its failures, but not its 410. */
async function noteEndpoints(tx: Transaction, made: readonly MadeAttempt[]): Promise<DisabledEndpoint[]> {
  const byEndpoint = [...Map.groupBy(made, ({ delivery }) => delivery.endpoint_id)]
    // Always in one order, so that two nodes never wait for each other.
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([endpoint_id, attempts]) => {
      const accountId = attempts[0]?.delivery.account_id;
      if (accountId === undefined) return [];
      const gone = attempts.some(({ outcome }) => outcome.http_status === HTTP_GONE);
      const succeeded = attempts.some(({ outcome }) => outcome.outcome === 'succeeded');
      return [{ account_id: accountId, endpoint_id, gone, succeeded }];
    });
  const good = byEndpoint.filter(({ gone, succeeded }) => succeeded && !gone);
  const bad = byEndpoint.filter(({ gone, succeeded }) => gone || !succeeded);
  if (good.length > 0) await noteSuccess(tx, good);
  return bad.length > 0 ? noteFailure(tx, bad, FAILING_DAYS_MAX) : [];
}

function disabledEvent(row: DisabledEndpoint) {
  const data = { endpoint: presentEndpoint(row) };
  return { accountId: row.account_id, mode: row.mode, type: 'endpoint.disabled' as const, data, traceparent: null };
}
