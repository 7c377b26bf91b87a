import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import { assertProblem } from '../../test/support/problem.ts';

describe('the state of the platform', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.stop());
  const read = async () => (await gateway.call('GET', '/platform/v1/state', { key: gateway.platformKey })).json;

  it('tells of the node, of the database and of empty queues', async () => {
    const state = await read();
    assert.equal(state.nodes.length, 1);
    assert.equal(state.nodes[0].alive, true);
    const none = { count: 0, more: false };
    assert.deepEqual(state.notifications, { waiting: none, lag_ms: 0, set_aside: none });
    assert.deepEqual(state.deliveries, { waiting: none, due: none, lag_ms: 0 });
    assert.deepEqual(state.requests, { running: none, oldest_at: null, to_recover: 0 });
    assert.ok(state.database.size_bytes > 1_000_000);
  });

  it('counts no further than a thousand, and leaves out what is for disabled endpoints', async () => {
    const { database, accountId } = gateway;
    const addEndpoint = async (enabled: boolean) => {
      const [row] = await database.query<{ id: string }>(
        `insert into endpoint (account_id, id, mode, url, enabled, secret_sealed)
         values ($1, gen_random_uuid(), 'test', 'https://customer.example/', $2, '') returning id`,
        [accountId, enabled],
      );
      return row?.id;
    };
    const addDeliveries = (endpointId: string | undefined, count: number) =>
      database.query(
        `insert into delivery (account_id, endpoint_id, event_id, next_at, claimed_until)
         select $1, $2, gen_random_uuid(), now() - interval '1 minute', now() + interval '1 hour'
         from generate_series(1, $3)`,
        [accountId, endpointId, count],
      );
    await addDeliveries(await addEndpoint(true), 3);
    await addDeliveries(await addEndpoint(false), 998);
    await database.query(
      "insert into notification (id, origin, body, state) select gen_random_uuid(), 'test', '', 'set_aside' from generate_series(1, 5)",
    );
    const state = await read();
    assert.deepEqual(state.deliveries.waiting, { count: 1_000, more: true });
    assert.deepEqual(state.deliveries.due, { count: 3, more: false });
    assert.ok(state.deliveries.lag_ms >= 60_000);
    assert.deepEqual(state.notifications.set_aside, { count: 5, more: false });
  });

  it('is for the platform only', async () => {
    assertProblem(await gateway.call('GET', '/platform/v1/state'), 'insufficient_scope');
  });
});
