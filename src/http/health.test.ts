import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startTestGateway } from '../../test/support/gateway.ts';
import { until } from '../../test/support/until.ts';

/** Probes give up after a second or a few. */
const ANSWERED_WITHIN_MS = 2_500;

it('/readyz says 503 in time while commits hang, asks the store one question at a time, and recovers', async () => {
  const gateway = await startTestGateway();
  const ready = async () => (await gateway.call('GET', '/readyz', { key: null })).status;
  assert.equal(await ready(), 200);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: locked, resolve: lock } = Promise.withResolvers<void>();
  // As a commit that waits for a standby: the lease is not renewed, and nothing fails.
  const holding = gateway.database.transaction(async (tx) => {
    await tx.query('lock table node in exclusive mode');
    lock();
    await released;
  });
  await locked;
  await until(async () => {
    const askedMs = performance.now();
    const status = await ready();
    assert.ok(performance.now() - askedMs < ANSWERED_WITHIN_MS);
    return status === 503;
  });
  for (let probe = 0; probe < 3; probe += 1) assert.equal(await ready(), 503);
  const waiting = await gateway.database.query(
    "select 1 from pg_locks where not granted and relation = 'node'::regclass",
  );
  assert.ok(waiting.length <= 2, `${waiting.length} statements wait: the probe's and the beat's`);
  release();
  await holding;
  await until(async () => (await ready()) === 200);
  await gateway.stop();
});
