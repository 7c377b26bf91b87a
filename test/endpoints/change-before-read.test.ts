import assert from 'node:assert/strict';
import { it } from 'node:test';
import { appendEvents } from '../../src/events/store.ts';
import type { Database } from '../../src/store/database.ts';
import { until } from '../support/until.ts';
import { startHarness } from './harness.ts';
import { startReceiver } from './receiver.ts';

/** What is given back is due at once, and does not wait until its claim ends by itself after 45 s. */
const BEFORE_ITS_CLAIM_ENDS_MS = 30_000;

it('a change that is answered while a large event is read, or waits for that, holds for its attempt', async () => {
  const harness = await startHarness();
  await harness.deliveries.stop(0);
  const [before, elsewhere] = [await startReceiver(), await startReceiver()];
  const { id, accountId, mode } = await harness.addEndpoint(before.url);
  const { database } = harness;
  const data = { message: { id: 'msg_1', text: { body: 'x'.repeat(200_000) } } };
  const draft = { accountId, mode, type: 'message.received', data, traceparent: null } as const;
  await database.transaction((tx) => appendEvents(tx, [draft]));

  const reading = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  // Takes the place of a read whose turn comes late, or whose answer does.
  const slow: Database = {
    ...database,
    async query<Row>(sql: string, values?: readonly unknown[]) {
      if (/\bfrom event where account_id = \$1 and id = \$3\b/.test(sql)) {
        reading.resolve();
        await held.promise;
      }
      return database.query<Row>(sql, values);
    },
  };
  const deliveries = harness.startNode(slow);

  try {
    await reading.promise;
    await database.query('update endpoint set url = $2, version = version + 1 where id = $1', [id, elsewhere.url]);
    deliveries.changed(id);
    held.resolve();
    await until(() => before.received.length + elsewhere.received.length > 0, BEFORE_ITS_CLAIM_ENDS_MS);
    assert.deepEqual([before.received.length, elsewhere.received.length], [0, 1]);
  } finally {
    await harness.stop();
    await Promise.all([before.close(), elsewhere.close()]);
  }
});
