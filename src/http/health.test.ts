import assert from 'node:assert/strict';
import { it } from 'node:test';
import { pino } from 'pino';
import { callApi, startTestGateway } from '../../test/support/gateway.ts';
import { createPlainListener } from '../../test/support/plain-listener.ts';
import { assertProblem } from '../../test/support/problem.ts';
import { until } from '../../test/support/until.ts';
import { StoreUnavailable } from '../kernel/store-unavailable.ts';
import { createMetrics } from '../observe/metrics.ts';
import { metricsRoute } from '../watch/metrics-route.ts';
import { healthRoutes } from './health.ts';

/** Probes give up after a second or a few; the rest is for a machine that is busy with other tests. */
const ANSWERED_WITHIN_MS = 10_000;

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
  const { json, headers } = await gateway.call('GET', '/readyz', { key: null });
  assert.deepEqual([json.reason, headers.get('retry-after')], ['database', '1']);
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

it('/readyz and every call tell a gateway that has not begun from one that stops', async (t) => {
  let leaving = false;
  let accepting = false;
  const life = {
    accepting: () => accepting,
    leaving: () => leaving,
    docsUrl: () => 'http://127.0.0.1/docs/errors',
  };
  const routes = healthRoutes({ ...life, commit: async () => undefined });
  const calls = routes.map((route) => ({ ...route, path: `/call${route.path}`, alsoWhileDraining: false }));
  const server = createPlainListener({
    ...life,
    routes: [...routes, ...calls, metricsRoute(createMetrics())],
  });
  t.after(() => server.close());
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  for (const [reason, detail] of [
    ['starting', 'The service is starting.'],
    ['stopping', 'The service is shutting down.'],
  ]) {
    leaving = reason === 'stopping';
    const { status, json } = await callApi(url, 'GET', '/readyz', {});
    assert.deepEqual([status, json.code, json.reason, json.detail], [503, 'unavailable', reason, detail]);
    for (const path of ['/healthz', '/metrics'])
      assert.equal((await callApi(url, 'GET', path, {})).status, 200, `${path}: it lives, and is watched`);
    assert.equal((await callApi(url, 'GET', '/call/healthz', {})).json.detail, detail);
  }
  // It still works, so that a balancer has time to look elsewhere, and takes no further call on a connection.
  accepting = true;
  assert.equal((await callApi(url, 'GET', '/readyz', {})).json.reason, 'stopping');
  for (const leaves of [true, false]) {
    leaving = leaves;
    const { status, headers } = await callApi(url, 'GET', '/call/healthz', {});
    assert.deepEqual([status, headers.get('connection')], [200, leaves ? 'close' : 'keep-alive']);
  }
});

it('/readyz tells that the database cannot be reached, which is no fault of the call in the log', async (t) => {
  const life = { accepting: () => true, leaving: () => false, docsUrl: () => 'http://127.0.0.1/docs/errors' };
  const lines: string[] = [];
  const server = createPlainListener({
    ...life,
    routes: healthRoutes({
      ...life,
      commit: async () => {
        throw new StoreUnavailable(new Error('refused'), false);
      },
    }),
    log: pino({}, { write: (line) => void lines.push(line) }),
  });
  t.after(() => server.close());
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  const { status, json } = await callApi(url, 'GET', '/readyz', {});
  assert.deepEqual([status, json.code, json.reason], [503, 'unavailable', 'database']);
  assert.deepEqual(lines, []);
});

it('/readyz asks the store less often than it is asked, and takes no fault of ours for an outage of the database', async (t) => {
  const life = { accepting: () => true, leaving: () => false, docsUrl: () => 'http://127.0.0.1/docs/errors' };
  const listenWith = async (commit: () => Promise<void>) => {
    const server = createPlainListener({ ...life, routes: healthRoutes({ ...life, commit }) });
    t.after(() => server.close());
    return server.listen({ host: '127.0.0.1', port: 0 });
  };
  let commits = 0;
  const url = await listenWith(async () => {
    commits += 1;
  });
  for (let probe = 0; probe < 5; probe += 1) assert.equal((await callApi(url, 'GET', '/readyz', {})).status, 200);
  assert.ok(commits < 5, `${commits} commits`);
  const faulty = await listenWith(async () => {
    throw new Error('A mistake of ours');
  });
  assertProblem(await callApi(faulty, 'GET', '/readyz', {}), 'internal_error');
});
