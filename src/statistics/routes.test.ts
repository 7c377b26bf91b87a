import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import { assertProblem } from '../../test/support/problem.ts';
import { until } from '../../test/support/until.ts';

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
