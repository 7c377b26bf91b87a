import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { createRecorder, type MadeAttempt, type Recorder } from '../../src/endpoints/deliver/record.ts';
import { newId } from '../../src/kernel/ids.ts';
import type { Database } from '../../src/store/database.ts';
import { isPassingFailure } from '../../src/store/passing-failure.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { meetLock } from '../support/meet-lock.ts';
import { restingTransaction } from '../support/resting-transaction.ts';
import { until } from '../support/until.ts';

let testDatabase: TestDatabase;
let database: Database;
let recorder: Recorder;
before(async () => {
  testDatabase = await createTestDatabase();
  ({ database } = testDatabase);
  recorder = createRecorder(database, () => undefined);
});
after(() => testDatabase.drop());

it('attempts that succeeded are written down once, although taking their deliveries away meets somebody in a circle', async () => {
  const { accountId, eventIds, record } = await addDeliveries();
  const lock = 'select 1 from delivery where event_id = $1 for update';
  await meetLock(database, {
    hold: async (tx) => {
      // So that the server ends the other one of the two transactions.
      await tx.query("set local deadlock_timeout to '20s'");
      await tx.query(lock, [eventIds[1]]);
    },
    work: () => Promise.all(record()),
    meanwhile: (tx) => tx.query(lock, [eventIds[0]]),
  });
  assert.equal(await count('attempt', accountId), 2);
  assert.equal(await count('delivery', accountId), 0);
});

it('those that are over and those that are to be tried again are locked in one order, whatever became of them', async () => {
  const { eventIds, record } = await addDeliveries();
  await meetLock(database, {
    hold: (tx) => tx.query('select 1 from delivery where event_id = $1 for update', [eventIds[0]]),
    work: () => Promise.all(record([{ failed: true }, {}])),
    meanwhile: (tx) => tx.query('select 1 from delivery where event_id = $1 for update nowait', [eventIds[1]]),
  });
});

it('those that succeeded wait for nobody with their deliveries locked', async () => {
  const { accountId, eventIds, record } = await addDeliveries();
  const places = await database.query<{ place: string }>(
    'update delivery set claimed_until = to_timestamp(0) where account_id = $1 returning ctid as place',
    [accountId],
  );
  let recorded: Promise<unknown> | undefined;
  await database.transaction(async (tx) => {
    await tx.query('select 1 from delivery where event_id = $1 for update', [eventIds[0]]);
    recorded = Promise.all(record(places));
    await until(async () => (await count('delivery', accountId)) === 1);
  });
  await recorded;
  assert.equal(await count('delivery', accountId), 0);
});

it('those whose deliveries cannot be taken away are left to their lease, and do not end the process', async () => {
  const { accountId, record } = await addDeliveries();
  await database.transaction((tx) =>
    tx.runScript(`
      create function lose() returns trigger language plpgsql as $$
        begin raise exception 'in a circle' using errcode = 'deadlock_detected'; end $$;
      create trigger lose before delete on delivery for each row execute function lose()`),
  );
  const outcomes = await Promise.allSettled(record());
  for (const outcome of outcomes) {
    assert.ok(outcome.status === 'rejected');
    assert.ok(isPassingFailure(outcome.reason), String(outcome.reason));
  }
  assert.equal(await count('attempt', accountId), 2);
  assert.equal(await count('delivery', accountId), 2);
  await database.query('drop function lose cascade');
});

it('one that needs a row that somebody keeps locked is left to its lease, and the other is written down', async () => {
  const { accountId, eventIds, record } = await addDeliveries();
  await restingTransaction(database, async (terminal) => {
    await terminal.query('select 1 from delivery where event_id = $1 for update', [eventIds[1]]);
    const [free, held] = await Promise.allSettled(record([{}, { failed: true }]));
    assert.equal(free?.status, 'fulfilled');
    assert.ok(held?.status === 'rejected' && isPassingFailure(held.reason));
  });
  assert.equal(await count('attempt', accountId), 1);
  assert.equal(await count('delivery', accountId), 1);
});

it('an endpoint whose row somebody keeps locked holds up no other one, although it succeeds again', async () => {
  const [locked, other] = [await addDeliveries(), await addDeliveries()];
  const { endpointId } = locked;
  await database.query(
    `insert into endpoint (account_id, id, mode, url, secret_sealed, failing_since) values ($1, $2, 'test', 'http://a', '', now())`,
    [locked.accountId, endpointId],
  );
  await restingTransaction(database, async (terminal) => {
    await terminal.query('select 1 from endpoint where id = $1 for update', [endpointId]);
    const all = Promise.allSettled([...locked.record([{ recovers: true }]), ...other.record()]);
    await until(async () => (await count('delivery', other.accountId)) === 0);
    const outcomes = await all;
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['rejected', 'rejected', 'fulfilled', 'fulfilled'],
    );
  });
  await Promise.all(locked.record([{ recovers: true }]));
  const [row] = await database.query('select failing_since from endpoint where id = $1', [endpointId]);
  assert.deepEqual(row, { failing_since: null });
});

interface Wish {
  failed?: boolean;
  /** Its endpoint was failing when it was claimed. */
  recovers?: boolean;
  /** The place where it was claimed. By default its row has been written since, so it is no longer there. */
  place?: string;
}

/** Adds two deliveries. Returns what records that they succeeded, unless it is told otherwise. */
async function addDeliveries() {
  const [accountId, endpointId, ...eventIds] = [newId(), newId(), newId(), newId()];
  const due = 'to_timestamp(0)';
  for (const eventId of eventIds) {
    const key = [accountId, endpointId, eventId];
    await database.query(
      `insert into delivery (account_id, endpoint_id, event_id, next_at) values ($1, $2, $3, ${due})`,
      key,
    );
  }
  const made = (eventId: string, { failed = false, recovers = false, place = '(4000,1)' }: Wish): MadeAttempt => ({
    delivery: {
      ...{ account_id: accountId, endpoint_id: endpointId, event_id: eventId, attempts: 0, address_version: 0 },
      ...{ next_at_us: 0, claimed_until_us: 0, place, type: 'message.delivered', endpoint_failing: recovers },
    },
    outcome: {
      ...{ id: newId(), at: new Date(), outcome: failed ? 'failed' : 'succeeded', error: null, duration_ms: 1 },
      ...{ http_status: failed ? 500 : 204, answer: null, retryAfter: [] },
    },
    waitMs: failed ? 5_000 : null,
  });
  /** The last one has ended first. */
  const record = (wishes: Wish[] = []) =>
    eventIds
      .map((eventId, place) => made(eventId, wishes[place] ?? {}))
      .reverse()
      .map((attempt) => recorder.add(attempt))
      .reverse();
  return { accountId, endpointId, eventIds, record };
}

async function count(table: 'attempt' | 'delivery', accountId: string): Promise<number> {
  return (await database.query(`select 1 from ${table} where account_id = $1`, [accountId])).length;
}
