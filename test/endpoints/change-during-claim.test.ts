import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Database } from '../../src/store/database.ts';
import { until } from '../support/until.ts';
import { startHarness } from './harness.ts';
import { startReceiver } from './receiver.ts';

/** What was claimed for the endpoint as it was is given back, and does not wait until its claim ends by itself after 45 s. */
const BEFORE_ITS_CLAIM_ENDS_MS = 30_000;

it('a change that is answered while a claim is under way holds for what the claim has read before it', async () => {
  const harness = await startHarness();
  await harness.deliveries.stop(0);
  const [before, elsewhere] = [await startReceiver(), await startReceiver()];
  const { id } = await harness.addEndpoint(before.url);
  await harness.record(1);

  const { database } = harness;
  const claimed = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  // Takes the place of a claim whose answer is still on its way.
  const slow: Database = {
    ...database,
    async query<Row>(sql: string, values?: readonly unknown[]) {
      const rows = await database.query<Row>(sql, values);
      if (sql.includes('set claimed_until = now() +') && rows.length > 0) {
        claimed.resolve();
        await held.promise;
      }
      return rows;
    },
  };
  const deliveries = harness.startNode(slow);

  await claimed.promise;
  await database.query('update endpoint set url = $2, version = version + 1 where id = $1', [id, elsewhere.url]);
  deliveries.changed(id);
  held.resolve();
  await until(() => before.received.length + elsewhere.received.length > 0, BEFORE_ITS_CLAIM_ENDS_MS);
  assert.deepEqual([before.received.length, elsewhere.received.length], [0, 1]);

  await harness.stop();
  await Promise.all([before.close(), elsewhere.close()]);
});
