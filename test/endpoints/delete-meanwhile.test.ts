import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { until } from '../support/until.ts';
import { type EndpointApi, startEndpointApi } from './api.ts';
import { type Harness, startHarness } from './harness.ts';
import { type Receiver, startReceiver } from './receiver.ts';

const PATH = '/api/v1/endpoints';
const ENDPOINTS = 8;
const ROUNDS = 3;
/** As many as the harness's pool has. */
const CONNECTIONS = 10;

let harness: Harness;
let api: EndpointApi;
let receiver: Receiver;
before(async () => {
  harness = await startHarness();
  api = await startEndpointApi(harness);
  // Three in ten must be tried again at once.
  receiver = await startReceiver((response, place) =>
    response.writeHead(place % 10 < 3 ? 500 : 204, { 'retry-after': '0' }).end(),
  );
});
after(async () => {
  await receiver.close();
  await api.stop();
  await harness.stop();
});

it('endpoints that are deleted and replayed among their attempts never wait for one another in a circle', async () => {
  const { key, principal } = api.key();
  await harness.record(1_000, principal);
  for (let round = 0; round < ROUNDS; round += 1) {
    const create = () => api.call(key, 'POST', PATH, { body: { url: receiver.url } });
    const created = await Promise.all(Array.from({ length: ENDPOINTS }, create));
    const paths = created.map(({ json }) => `${PATH}/${json.id}`);
    const replayAll = () =>
      Promise.all(paths.map((path) => api.call(key, 'POST', `${path}/replay`, { body: { after_sequence: 0 } })));
    const before = receiver.received.length;
    await replayAll();
    await until(() => receiver.received.length > before + 600);
    const replayed = replayAll();
    await until(() => receiver.received.length > before + 900);
    const deleted = await Promise.all(paths.map((path) => api.call(key, 'DELETE', path)));
    assert.deepEqual(
      deleted.map(({ status }) => status),
      paths.map(() => 204),
    );
    await replayed;
  }
  assert.equal(await countDeadlocks(), 0);
});

it('an endpoint is deleted while somebody has its deliveries locked', async () => {
  const { key, principal } = api.key();
  // Nobody listens there, so the delivery stays.
  const { json } = await api.call(key, 'POST', PATH, { body: { url: 'http://127.0.0.1:9/hook' } });
  await harness.record(1, principal);
  const tried = 'select 1 from delivery where account_id = $1 and attempts = 1';
  // While an attempt is written down its endpoint is locked, and the lock on the delivery would keep it from its end.
  await until(async () => (await harness.database.query(tried, [principal.accountId])).length === 1);
  const { status } = await harness.database.transaction(async (tx) => {
    assert.equal((await tx.query(`${tried} for update`, [principal.accountId])).length, 1);
    return api.call(key, 'DELETE', `${PATH}/${json.id}`);
  });
  assert.equal(status, 204);
});

/** Each connection of the pool first reports what it has counted. */
async function countDeadlocks(): Promise<number | undefined> {
  const all = Promise.withResolvers<void>();
  let telling = 0;
  const tell = () =>
    harness.database.transaction(async (tx) => {
      await tx.query('select pg_stat_force_next_flush()');
      telling += 1;
      if (telling === CONNECTIONS) all.resolve();
      await all.promise;
    });
  await Promise.all(Array.from({ length: CONNECTIONS }, tell));
  const [row] = await harness.database.query<{ deadlocks: number }>(
    'select deadlocks from pg_stat_database where datname = current_database()',
  );
  return row?.deadlocks;
}
