import assert from 'node:assert/strict';
import { it } from 'node:test';
import { phoneNumbers, readApi, sendText } from '../support/call-gateway.ts';
import { startCrashWorld } from '../support/crash-world.ts';
import { until } from '../support/until.ts';
import { countStatuses } from './books.ts';

const LATENCY_MS = 1_000;

it('a node that gives notice says 503 to the balancer and 200 to its callers, until the notice is over', async (t) => {
  const world = await startCrashWorld(t, LATENCY_MS);
  const gateway = await world.startGateway({ WAYPOST_STOP_NOTICE_MS: '3000' });
  assert.equal((await readApi(gateway.dev, '/readyz')).status, 200);
  const stopped = gateway.stop();
  const readiness = await until(async () => {
    const answer = await readApi(gateway.dev, '/readyz');
    return answer.status === 503 ? answer : undefined;
  });
  assert.deepEqual([readiness.json.code, readiness.json.detail], ['unavailable', 'The service is shutting down.']);
  const taken = await sendText(gateway.dev, phoneNumbers(0, 2));
  assert.deepEqual([taken.status, taken.json.accepted_count], [200, 2]);
  assert.equal(taken.headers.get('connection'), 'close');
  assert.equal(await stopped, 0);
  assert.deepEqual(await countStatuses(world.db.database), { accepted: 2 });
});

it('a stop that is not over within its budget ends with a failure code, and the next node settles the rest', async (t) => {
  const world = await startCrashWorld(t, 20_000);
  const gateway = await world.startGateway({ WAYPOST_STOP_BUDGET_MS: '1500' });
  const lost = assert.rejects(sendText(gateway.dev, phoneNumbers(0, 3), { key: 'cut-short' }));
  await world.untilTransmitted(3);
  const begunMs = Date.now();
  assert.equal(await gateway.stop(), 1);
  const tookMs = Date.now() - begunMs;
  assert.ok(tookMs >= 1_400 && tookMs < 6_000, `${tookMs} ms`);
  assert.match(gateway.output(), /WAYPOST_STOP_BUDGET_MS/);
  await lost;
  const next = await world.startGateway();
  assert.deepEqual(await countStatuses(world.db.database), { unknown: 3 });
  const replay = await sendText(next.dev, phoneNumbers(0, 3), { key: 'cut-short' });
  assert.deepEqual([replay.headers.get('idempotent-replayed'), replay.json.unknown_count], ['true', 3]);
  assert.equal((await world.sandbox.transmits()).length, 3, 'nothing was sent again');
});

it('a stop waits for a database that is away, and commits what the provider has answered', async (t) => {
  const world = await startCrashWorld(t, LATENCY_MS);
  const gateway = await world.startGateway();
  const sent = sendText(gateway.dev, phoneNumbers(0, 5));
  await world.untilTransmitted(5);
  world.proxy.cut();
  assert.equal((await sent).json.accepted_count, 5);
  const stopped = gateway.stop();
  await until(() => gateway.output().includes('gateway.stopping'));
  world.proxy.restore();
  assert.equal(await stopped, 0, 'all is finished');
  assert.deepEqual(await countStatuses(world.db.database), { accepted: 5 });
});

it('a stop with nothing left to commit is clean although the database is away', async (t) => {
  const world = await startCrashWorld(t, 0);
  const gateway = await world.startGateway();
  assert.equal((await sendText(gateway.dev, phoneNumbers(0, 2))).json.accepted_count, 2);
  world.proxy.cut();
  assert.equal(await gateway.stop(), 0);
});
