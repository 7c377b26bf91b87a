import assert from 'node:assert/strict';
import { it } from 'node:test';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { readScrape } from '../../test/observe/exposition.ts';
import type { AnsweredRequest } from '../http/answered.ts';
import { formatId, newId } from '../kernel/ids.ts';
import type { Principal } from '../kernel/principal.ts';
import { createHttpMetrics } from '../observe/http-metrics.ts';
import { watchCalls } from './calls.ts';
import type { SendCounts } from './running-sends.ts';

const KEY: Principal = {
  ...{ kind: 'account', accountId: newId(), mode: 'test', accountName: 'Acme', suspended: false },
  ...{ keyId: newId(), keyName: 'main', scopes: undefined, expiresAt: undefined },
};

function watch(level: string, counts?: SendCounts) {
  const registry = new Registry();
  const lines: string[] = [];
  const asked: string[] = [];
  const log = pino({ base: null, level }, { write: (line) => void lines.push(line) });
  const takeCounts = (requestId: string) => {
    asked.push(requestId);
    return counts;
  };
  const answered = watchCalls(createHttpMetrics(registry), log, takeCounts);
  const requestId = newId();
  return {
    requestId,
    asked,
    registry,
    answer: (call: Partial<AnsweredRequest>) =>
      answered({
        ...{
          requestId,
          shownRequestId: formatId('req', requestId),
          route: '/api/v1/account',
          method: 'GET',
          status: 200,
        },
        ...{ code: undefined, hungUp: false, principal: undefined, durationMs: 12.345, ...call },
      }),
    lines: () =>
      lines
        .splice(0)
        .map((line) => JSON.parse(line))
        .map(({ time, ...line }) => line),
  };
}

it('a call is told in one line: whose it was, what became of it, and of a send how it ended', () => {
  const { requestId, answer, lines } = watch('debug', { accepted: 1, failed: 2, unknown: 3 });
  const route = '/api/v1/messages/send';
  const line = { level: 30, msg: 'http.call', request_id: formatId('req', requestId), route, duration_ms: 12.3 };
  const counts = { accepted: 1, failed: 2, unknown: 3 };
  answer({ route, method: 'POST', principal: KEY });
  answer({ route, method: 'POST', status: 422, code: 'invalid_request', principal: { kind: 'platform' } });
  answer({ route, method: 'POST', status: 499, code: 'invalid_request', hungUp: true });
  assert.deepEqual(lines(), [
    ...[{ ...line, method: 'POST', status: 200, code: 'ok', ...ownerOf(KEY), ...counts }],
    ...[{ ...line, method: 'POST', status: 422, code: 'invalid_request', by: 'platform', ...counts }],
    ...[{ ...line, method: 'POST', status: 499, code: 'hung_up', ...counts }],
  ]);
});

function ownerOf({ accountId, keyId }: Extract<Principal, { kind: 'account' }>) {
  return { account_id: accountId, key_id: formatId('key', keyId) };
}

it('the good answers to what machines ask are no news, and their faults are', () => {
  const { answer, lines, asked } = watch('debug');
  for (const route of ['/healthz', '/readyz', '/metrics', '/api/messaging/webhook'])
    for (const [status, level] of [
      [200, 20],
      [503, 30],
    ] as const) {
      answer({ route, status });
      assert.deepEqual(
        lines().map((line) => line.level),
        [level],
        route,
      );
    }
  assert.deepEqual(asked, []);
});

it('a send is asked for also where the log does not want to know, because it is remembered until then', () => {
  const { requestId, answer, lines, asked } = watch('warn');
  answer({ route: '/api/v1/messages/send', method: 'POST' });
  assert.deepEqual([asked, lines()], [[requestId], []]);
});

it('calls are measured in seconds', async () => {
  const { answer, registry } = watch('silent');
  answer({ durationMs: 250 });
  assert.equal(readScrape(await registry.metrics()).sum('waypost_http_call_seconds_sum'), 0.25);
});
