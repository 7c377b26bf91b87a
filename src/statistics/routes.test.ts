import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import { assertProblem } from '../../test/support/problem.ts';
import { until } from '../../test/support/until.ts';
import type { Mode } from '../kernel/principal.ts';
import { type Counts, noCounts } from './counts.ts';
import type { Step } from './step.ts';
import { writeBuckets } from './store.ts';

const PATH = '/api/v1/statistics';

describe('the statistics of an account', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startTestGateway({ callback: true });
  });
  after(() => gateway.stop());

  it('tell within seconds what became of what was sent, and of nobody else', async () => {
    const to = ['+447700900001', '+447700900002', '+15550131026', '+15551131026', '+15552000011', '+15552000014', '07'];
    const sent = await gateway.call('POST', '/api/v1/messages/send', {
      body: { to, type: 'text', text: { body: 'Counted' } },
    });
    assert.equal(sent.json.accepted_count, 5);
    const statistics = await until(async () => {
      const { json } = await gateway.call('GET', PATH);
      return json.totals.read === 3 && json.totals.received === 1 && json.totals.failed === 2 && json;
    });
    const { to_delivery_ms: toDeliveryMs, ...numbers } = statistics.totals;
    assert.deepEqual(numbers, {
      accepted: 5,
      sent: 3,
      delivered: 3,
      read: 3,
      failed: 2,
      unknown: 0,
      received: 1,
    });
    assert.ok(toDeliveryMs.p50 > 0 && toDeliveryMs.p50 <= toDeliveryMs.p95 && toDeliveryMs.p95 < 30_000);
    assert.deepEqual(statistics.failures, [{ code: 'recipient_unreachable', count: 2 }]);
    const key = await gateway.createKey({ accountId: await gateway.createAccount('Another') });
    for (const other of [key, await gateway.createKey({ mode: 'live' })])
      assert.equal((await gateway.call('GET', PATH, { key: other })).json.totals.accepted, 0);
  });

  it('have every bucket of the range, also in minutes and days', async () => {
    const range = 'since=2026-03-01T10:00:30Z&until=2026-03-01T12:00:00Z';
    const minutes = (await gateway.call('GET', `${PATH}?${range}`)).json;
    assert.equal(minutes.step, 'minute');
    assert.equal(minutes.since, '2026-03-01T10:00:00.000Z');
    assert.equal(minutes.buckets.length, 120);
    assert.equal(minutes.computed_at, null);
    const days = (await gateway.call('GET', `${PATH}?${range}&step=day`)).json;
    const nothing = { accepted: 0, sent: 0, delivered: 0, read: 0, failed: 0, unknown: 0, received: 0 };
    assert.deepEqual(days.buckets, [{ at: '2026-03-01T00:00:00.000Z', ...nothing, to_delivery_ms: null }]);
    assert.equal(days.until, '2026-03-02T00:00:00.000Z');
    assert.equal((await gateway.call('GET', PATH)).json.step, 'hour');
  });

  it('tell each bucket of the range and nothing beside it, and the failures by their number', async () => {
    const keep = (at: string, counts: Partial<Counts>, [mode, step]: [Mode, Step] = ['test', 'minute']) =>
      writeBuckets(gateway.database, [
        {
          ...{ accountId: gateway.accountId, mode, step },
          bucketMs: Date.parse(`2026-04-01T${at}:00Z`),
          counts: { ...noCounts(), ...counts },
        },
      ]);
    await keep('10:02', { failed: 2, failures: { b: 2 } });
    await keep('10:00', { failed: 4, failures: { a: 1, c: 3 }, received: 1 });
    for (const at of ['09:59', '10:03']) await keep(at, { received: 10 });
    await keep('10:00', { received: 10 }, ['live', 'minute']);
    await keep('10:00', { received: 10 }, ['test', 'hour']);
    // What was counted last of the range is not its last bucket.
    const [counted] = await gateway.database.query<{ at: Date }>(
      `select computed_at as at from message_statistics
       where account_id = $1 and mode = 'test' and step = 'minute' and bucket_at = '2026-04-01T10:00Z'`,
      [gateway.accountId],
    );
    const { json } = await gateway.call('GET', `${PATH}?since=2026-04-01T10:00:00Z&until=2026-04-01T10:03:00Z`);
    assert.deepEqual(
      json.buckets.map(({ at, failed, received }: Record<string, unknown>) => [at, failed, received]),
      [
        ['2026-04-01T10:00:00.000Z', 4, 1],
        ['2026-04-01T10:01:00.000Z', 0, 0],
        ['2026-04-01T10:02:00.000Z', 2, 0],
      ],
    );
    assert.deepEqual([json.totals.failed, json.totals.received], [6, 1]);
    const inOrder = [
      ['c', 3],
      ['b', 2],
      ['a', 1],
    ];
    assert.deepEqual(
      json.failures,
      inOrder.map(([code, count]) => ({ code, count })),
    );
    assert.equal(json.computed_at, counted?.at.toISOString());
  });

  it('refuse a range that is none, or has too many buckets', async () => {
    const faulty = {
      'since=yesterday': 'since',
      'until=2026-03-01': 'until',
      'since=2026-03-02T00:00:00Z&until=2026-03-01T00:00:00Z': 'since',
      'since=2026-03-01T00:00:00Z&until=2026-03-02T00:00:00Z&step=minute': 'step',
      'step=week': 'step',
      'since=9999-12-31T23:00:00Z&until=9999-12-31T23:59:59Z': 'until',
      'until=0000-01-01T00:00:00Z': 'since',
    };
    for (const [query, parameter] of Object.entries(faulty)) {
      const answer = await gateway.call('GET', `${PATH}?${query}`);
      assertProblem(answer, 'invalid_request');
      assert.equal(answer.json.errors[0].parameter, parameter, query);
    }
  });

  it('tell their range in times that can be read again, in the first year and in the last', async () => {
    for (const day of ['0000-01-01', '9999-12-30']) {
      const range = { since: `${day}T22:00:00.000Z`, until: `${day}T23:00:00.000Z` };
      const { status, json } = await gateway.call('GET', `${PATH}?${new URLSearchParams(range)}`);
      assert.deepEqual([status, json.since, json.until], [200, range.since, range.until]);
    }
  });

  it('are for keys that may read messages', async () => {
    const key = await gateway.createKey({ scopes: ['events:read'] });
    assertProblem(await gateway.call('GET', PATH, { key }), 'insufficient_scope');
  });
});
