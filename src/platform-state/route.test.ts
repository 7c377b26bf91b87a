import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { after, before, describe, it } from 'node:test';
import { callApi, startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import { createPlainListener } from '../../test/support/plain-listener.ts';
import { assertProblem } from '../../test/support/problem.ts';
import { systemClock } from '../kernel/clock.ts';
import { firstIdOfMs, newId } from '../kernel/ids.ts';
import { keepLimits } from '../kernel/keep.ts';
import { platformStateRoute } from './route.ts';

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
    assert.equal(state.nodes[0].host, hostname());
    const none = { count: 0, more: false };
    assert.deepEqual(state.notifications, { waiting: none, lag_ms: 0, set_aside: none });
    assert.deepEqual(state.deliveries, { waiting: none, due: none, lag_ms: 0 });
    assert.deepEqual(state.requests, { running: none, oldest_at: null, to_recover: 0 });
    assert.ok(state.database.size_bytes > 1_000_000);
  });

  it('counts what waits for later, no request that has ended, and of the statistics the minutes alone', async () => {
    const { database, accountId } = gateway;
    await database.query(
      `insert into request (account_id, id, node_id, mode, channel_id, key_id, type, message_ids, completed_at)
       values ($1, $2, $2, 'test', $2, $2, 'text', '{}', now())`,
      [accountId, newId()],
    );
    await database.query(
      "insert into notification (id, origin, body, state, next_at) values ($1, 'test', '', 'waiting', now() + interval '1 hour')",
      [newId()],
    );
    await database.query(
      `insert into message_statistics_due (account_id, step, bucket_at, due_at)
       select $1, step, now(), now() + interval '1 hour' from unnest(array['minute', 'hour']::statistics_step[]) as step`,
      [accountId],
    );
    const state = await read();
    assert.deepEqual(state.requests, { running: { count: 0, more: false }, oldest_at: null, to_recover: 0 });
    assert.deepEqual([state.notifications.waiting.count, state.notifications.lag_ms], [1, 0]);
    assert.deepEqual(state.statistics, { due: { count: 1, more: false }, lag_ms: 0 });
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
         select $1, $2, gen_random_uuid(), now() - interval '1 minute', now() + interval '4 minutes'
         from generate_series(1, $3)`,
        [accountId, endpointId, count],
      );
    await addDeliveries(await addEndpoint(true), 3);
    await addDeliveries(await addEndpoint(false), 998);
    await database.query(
      "insert into notification (id, origin, body, state) select id, 'test', '', 'set_aside' from unnest($1::uuid[]) as id",
      [[...Array.from({ length: 5 }, newId), firstIdOfMs(Date.now() - 31 * 86_400_000)]],
    );
    const state = await read();
    assert.deepEqual(state.deliveries.waiting, { count: 1_000, more: true });
    assert.deepEqual(state.deliveries.due, { count: 3, more: false });
    assert.ok(state.deliveries.lag_ms >= 60_000);
    assert.deepEqual(state.notifications.set_aside, { count: 5, more: false });
    await database.query('delete from delivery where ctid = (select ctid from delivery limit 1)');
    assert.deepEqual((await read()).deliveries.waiting, { count: 1_000, more: false });
  });

  it('tells since when the oldest waits, how long the database took, and of the nodes in the order of their starts', async () => {
    const { database, accountId } = gateway;
    const days = { messages: 90, content: 30, events: 30, notifications: 7, setAside: 30 };
    const limits = () => keepLimits(days, systemClock.nowMs());
    const rolledBack = new Error('Nothing of it is left for the gateway to work on');
    const oldestMs = Date.now() - 60_000;
    const reading = database.transaction(async (tx) => {
      await tx.query(
        `insert into request (account_id, id, node_id, mode, channel_id, key_id, type, message_ids, intent)
         select $1, id, $1, 'test', $1, $1, 'text', '{}', '{}' from unnest($2::uuid[]) as id`,
        [accountId, [oldestMs + 30_000, oldestMs, oldestMs + 10_000].map(firstIdOfMs)],
      );
      await tx.query(
        `insert into message_statistics_due (account_id, step, bucket_at, due_at)
         select $1, 'minute', now() - age, now() - age from unnest(array['40 s', '90 s', '70 s']::interval[]) as age`,
        [accountId],
      );
      await tx.query(
        `insert into node (id, host, pid, lease_until, started_at)
         select gen_random_uuid(), host, 1, now(), now() + at from (values ('younger', interval '1 h'), ('older', '-1 h')) as n(host, at)`,
      );
      const server = createPlainListener({ routes: [platformStateRoute(tx, limits)] });
      const url = await server.listen({ host: '127.0.0.1', port: 0 });
      const askedMs = performance.now();
      const { json } = await callApi(url, 'GET', '/platform/v1/state', { key: 'any' }).finally(() => server.close());
      assert.ok(json.database.round_trip_ms <= Math.ceil(performance.now() - askedMs));
      assert.equal(json.requests.oldest_at, new Date(oldestMs).toISOString());
      assert.equal(json.statistics.lag_ms, 90_000);
      const inOrder = ['older', hostname(), 'younger'];
      const hosts = json.nodes.map(({ host }: { host: string }) => host);
      assert.deepEqual(
        hosts.filter((host: string) => inOrder.includes(host)),
        inOrder,
      );
      throw rolledBack;
    });
    await assert.rejects(reading, rolledBack);
  });

  it('takes no node for alive whose lease is from before the clock of the database was set back', async () => {
    const { database, accountId } = gateway;
    const nodeId = newId();
    await database.query(
      "insert into node (id, host, pid, lease_until) values ($1, 'gone', 1, now() + interval '1 day')",
      [nodeId],
    );
    await database.query(
      `insert into request (account_id, id, node_id, mode, channel_id, key_id, type, message_ids, intent)
       values ($1, $2, $3, 'test', $2, $2, 'text', '{}', '{}')`,
      [accountId, newId(), nodeId],
    );
    const state = await read();
    const aliveOf = (id: string) => state.nodes.find((node: { id: string }) => node.id === id)?.alive;
    assert.equal(aliveOf(nodeId), false);
    assert.equal(state.nodes.filter(({ alive }: { alive: boolean }) => alive).length, 1, 'the gateway itself');
    assert.equal(state.requests.to_recover, 1);
  });

  it('tells of the oldest send and of what a dead node has left, also where more than a thousand are under way', async () => {
    const { database, accountId } = gateway;
    const oldestMs = Date.now() - 3_600_000;
    const [node] = await database.query<{ id: string }>('select id from node where lease_until > now() limit 1');
    const { requests: before } = await read();
    const add = (account: string, nodeId: string | undefined, ids: string[]) =>
      database.query(
        `insert into request (account_id, id, node_id, mode, channel_id, key_id, type, message_ids, intent)
         select $1, id, $2, 'test', $1, $1, 'text', '{}', '{}' from unnest($3::uuid[]) as id`,
        [account, nodeId, ids],
      );
    // The index has the accounts in the order of their ids.
    await add(accountId, node?.id, Array.from({ length: 1_500 }, newId));
    await add(newId(), newId(), [firstIdOfMs(oldestMs)]);
    const { requests } = await read();
    assert.deepEqual(requests.running, { count: 1_000, more: true });
    assert.equal(requests.oldest_at, new Date(oldestMs).toISOString());
    assert.equal(requests.to_recover, before.to_recover + 1);
  });

  it('is for the platform only', async () => {
    assertProblem(await gateway.call('GET', '/platform/v1/state'), 'insufficient_scope');
  });
});
