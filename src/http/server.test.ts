import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { callApi } from '../../test/support/gateway.ts';
import { assertProblem } from '../../test/support/problem.ts';
import { callRaw } from '../../test/support/raw-http.ts';
import { until } from '../../test/support/until.ts';
import { systemClock } from '../kernel/clock.ts';
import { StoreUnavailable } from '../kernel/store-unavailable.ts';
import { unavailable } from '../kernel/unavailable.ts';
import type { AnsweredRequest } from './answered.ts';
import { createRateLimits } from './rate-limit.ts';
import { publicRoute } from './route.ts';
import { createServer } from './server.ts';

const SECRET = 'select secret from somewhere';

let server: FastifyInstance;
let url: string;
const logged: string[] = [];
const answered: AnsweredRequest[] = [];

const failing = (path: string, error: Error) =>
  publicRoute({
    method: 'GET',
    path,
    summary: 'Fails',
    operation: 'page',
    bodyUse: 'none',
    handle: async () => {
      throw error;
    },
  });

before(async () => {
  server = createServer({
    routes: [
      failing('/broken', new Error(SECRET)),
      failing('/away', new StoreUnavailable(new Error(SECRET), false)),
      failing('/full', unavailable('Too much is under way.')),
    ],
    authenticate: async () => {
      throw new StoreUnavailable(new Error(SECRET), false);
    },
    rateLimits: createRateLimits({ requests: 1, recipients: 1 }, systemClock),
    docsUrl: () => 'http://localhost/docs/errors',
    accepting: () => true,
    onAnswered: (call) => void answered.push(call),
    log: pino({ level: 'error' }, { write: (line) => void logged.push(line) }),
  });
  url = await server.listen({ host: '127.0.0.1', port: 0 });
});
after(() => server.close());

describe('what goes wrong on our side', () => {
  it('is an internal error that tells nothing but the log', async () => {
    const answer = await callApi(url, 'GET', '/broken', { key: null });
    assertProblem(answer, 'internal_error');
    assert.ok(!answer.text.includes(SECRET) && !answer.text.includes('server.test'));
    assert.ok(logged.some((line) => line.includes(answer.json.request_id)));
  });

  it('is unavailable where the store is away', async () => {
    const answer = await callApi(url, 'GET', '/away', { key: null });
    assertProblem(answer, 'unavailable');
    assert.ok(!answer.text.includes(SECRET));
    assert.ok(logged.some((line) => line.includes(answer.json.request_id)));
  });

  it('is no error in the log where the gateway refuses by itself, as in a stop', async () => {
    const answer = await callApi(url, 'GET', '/full', { key: null });
    assertProblem(answer, 'unavailable');
    assert.ok(!logged.some((line) => line.includes(answer.json.request_id)));
  });
});

it('a path that is not there is not found, also where the key on it cannot be read', async () => {
  const answer = await callApi(url, 'GET', '/nothing', { key: 'wp_test_unknown' });
  assertProblem(answer, 'not_found');
  assert.equal(answer.headers.has('ratelimit'), false);
});

it('a call is told of when it is over, also one whose path is malformed or too long', async () => {
  const paths = ['/nothing', '/%zz', '/%c3%28', `/broken/${'x'.repeat(2_000)}`];
  for (const path of paths) {
    const before = answered.length;
    assertProblem(await callRaw(url, { method: 'GET', path, headers: [] }), 'not_found');
    const [call, ...more] = await until(() => answered.length > before && answered.slice(before));
    assert.deepEqual([call?.route, call?.status, call?.code, more], [undefined, 404, 'not_found', []], path);
  }
});
