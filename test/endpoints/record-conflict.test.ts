import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createRecorder, type MadeAttempt } from '../../src/endpoints/deliver/record.ts';
import { newId } from '../../src/kernel/ids.ts';
import { createTestDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';
import { countWaitingForLocks } from '../support/waiting-for-locks.ts';

it('attempts that succeeded are written down once, although taking their deliveries away meets somebody in a circle', async () => {
  const { database, drop } = await createTestDatabase();
  const [accountId, endpointId, first, second] = [newId(), newId(), newId(), newId()];
  const made = (eventId: string): MadeAttempt => ({
    delivery: {
      ...{ account_id: accountId, endpoint_id: endpointId, event_id: eventId, attempts: 0, endpoint_version: 0 },
      // Written since it was claimed, so that its row does not stand there any more.
      ...{ claimed_until_us: 0, place: '(4000,1)', type: 'message.delivered' },
    },
    outcome: {
      ...{ id: newId(), at: new Date(), outcome: 'succeeded', http_status: 204, error: null, duration_ms: 1 },
      ...{ answer: null, retryAfter: null },
    },
    waitMs: null,
  });
  for (const eventId of [first, second])
    await database.query('insert into delivery (account_id, endpoint_id, event_id) values ($1, $2, $3)', [
      accountId,
      endpointId,
      eventId,
    ]);
  const recorder = createRecorder(database, () => undefined);
  const lock = 'select 1 from delivery where event_id = $1 for update';
  let recorded: Promise<unknown> | undefined;
  await database.transaction(async (tx) => {
    await tx.query(lock, [second]);
    recorded = Promise.all([first, second].map((eventId) => recorder.add(made(eventId))));
    await until(async () => (await countWaitingForLocks(database)) === 1);
    // The server ends the one of the two who waits for longer.
    await tx.query(lock, [first]);
  });
  await recorded;
  assert.equal((await database.query('select 1 from attempt where account_id = $1', [accountId])).length, 2);
  assert.deepEqual(await database.query('select 1 from delivery where account_id = $1', [accountId]), []);
  await drop();
});
