import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Database } from '../../src/store/database.ts';
import { until } from '../support/until.ts';
import { startHarness } from './harness.ts';
import { startReceiver } from './receiver.ts';

/** More attempts succeed in a row than go out at once, so that some deliveries are claimed and wait. */
const ANSWERED = 30;

it('a stop gives back all that it has not delivered, also if a claim outlasts the attempts', async () => {
  const harness = await startHarness();
  await harness.deliveries.stop(0);
  const receiver = await startReceiver((response, place) => {
    if (place < ANSWERED) response.writeHead(204).end();
  });
  await harness.addEndpoint(receiver.url);
  const { database } = harness;
  const held = Promise.withResolvers<void>();
  let holding = false;
  let claims = 0;
  // Takes the place of a database that is slow to answer a claim.
  const slow: Database = {
    ...database,
    async query<Row>(sql: string, values?: readonly unknown[]) {
      if (holding && sql.includes('set claimed_until = now() +')) {
        claims += 1;
        await held.promise;
      }
      return database.query<Row>(sql, values);
    },
  };
  const deliveries = harness.startNode(slow);

  await harness.record(ANSWERED);
  deliveries.nudge();
  await until(async () => (await harness.waiting()) === 0);
  await harness.record(100);
  deliveries.nudge();
  const leased = async () => {
    const [row] = await database.query<{ count: number }>(
      'select count(*) as count from delivery where claimed_until > now()',
    );
    return row?.count ?? 0;
  };
  await until(async () => receiver.received.length === ANSWERED + 10 && (await leased()) > 10);
  holding = true;
  deliveries.nudge();
  await until(() => claims === 1);
  const leasedBefore = await leased();
  const stopped = deliveries.stop(50);
  // Deliveries whose attempts were broken off are given back.
  await until(async () => (await leased()) <= leasedBefore - 10);
  held.resolve();
  await stopped;
  assert.equal(await leased(), 0);
  assert.equal(await harness.waiting(), 100);

  await harness.stop();
  await receiver.close();
});
