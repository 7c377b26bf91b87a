import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { createRecorder, type MadeAttempt, type Recorder } from '../../src/endpoints/deliver/record.ts';
import { newId } from '../../src/kernel/ids.ts';
import type { Database } from '../../src/store/database.ts';
import { isPassingFailure } from '../../src/store/passing-failure.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';
import { countWaitingForLocks } from '../support/waiting-for-locks.ts';

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
  let recorded: Promise<unknown> | undefined;
  await database.transaction(async (tx) => {
    // So that the server ends the other one of the two.
    await tx.query("set local deadlock_timeout to '20s'");
    await tx.query(lock, [eventIds[1]]);
    recorded = Promise.all(record());
    await until(async () => (await countWaitingForLocks(database)) === 1);
    await tx.query(lock, [eventIds[0]]);
  });
  await recorded;
  assert.equal(await count('attempt', accountId), 2);
  assert.equal(await count('delivery', accountId), 0);
});

it('and those whose deliveries cannot be taken away are left to their lease, and do not end the process', async () => {
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
});

/** Two deliveries, and what writes down that they succeeded. */
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
  const made = (eventId: string): MadeAttempt => ({
    delivery: {
      ...{ account_id: accountId, endpoint_id: endpointId, event_id: eventId, attempts: 0, endpoint_version: 0 },
      // Written since it was claimed, so that its row does not stand there any more.
      ...{ next_at_us: 0, claimed_until_us: 0, place: '(4000,1)', type: 'message.delivered' },
    },
    outcome: {
      ...{ id: newId(), at: new Date(), outcome: 'succeeded', http_status: 204, error: null, duration_ms: 1 },
      ...{ answer: null, retryAfter: [] },
    },
    waitMs: null,
  });
  return { accountId, eventIds, record: () => eventIds.map((eventId) => recorder.add(made(eventId))) };
}

async function count(table: 'attempt' | 'delivery', accountId: string): Promise<number> {
  return (await database.query(`select 1 from ${table} where account_id = $1`, [accountId])).length;
}
