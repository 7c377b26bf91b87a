import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { callApi } from '../../test/support/gateway.ts';
import { assertProblem } from '../../test/support/problem.ts';
import { callRaw } from '../../test/support/raw-http.ts';
import { until } from '../../test/support/until.ts';
import { systemClock } from '../kernel/clock.ts';
import { ApiError } from '../kernel/errors.ts';
import { createInFlight } from '../kernel/in-flight.ts';
import type { Principal } from '../kernel/principal.ts';
import { StoreUnavailable } from '../kernel/store-unavailable.ts';
import { unavailable } from '../kernel/unavailable.ts';
import type { AnsweredRequest } from './answered.ts';
import { createRateLimits } from './rate-limit.ts';
import { accountRoute, platformRoute, publicRoute } from './route.ts';
import { createServer } from './server.ts';

const SECRET = 'select secret from somewhere';

let server: FastifyInstance;
let url: string;
const logged: string[] = [];
const answered: AnsweredRequest[] = [];
const calls = createInFlight();
const away = async (): Promise<Principal> => {
  throw new StoreUnavailable(new Error(SECRET), false);
};
let authenticate = away;
const begun: string[] = [];
/** What a call waits for before it takes its body apart, and how many wait. */
let waitsFor = Promise.resolve();
let waiting = 0;

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
      platformRoute({
        ...{ method: 'GET', path: '/own', summary: 'Begins', operation: 'page', bodyUse: 'none' },
        async handle({ requestId }) {
          begun.push(requestId);
          return { status: 204 };
        },
      }),
      accountRoute({
        ...{ method: 'POST', path: '/waits', summary: 'Waits', operation: 'page', bodyUse: 'json' },
        async handle({ requestId, inLine }) {
          waiting += 1;
          await waitsFor;
          await inLine(() => begun.push(requestId));
          return { status: 204 };
        },
      }),
    ],
    authenticate: () => authenticate(),
    calls,
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

it('a caller has a minute for its request, whatever Node or the framework allows', () => {
  // To see it happen takes half a minute more, because Node looks for them that seldom.
  assert.equal(server.server.requestTimeout, 60_000);
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

it('a call whose caller had gone before it began is carried out, and a stop does not wait for its answer', async () => {
  const { promise: known, resolve: know } = Promise.withResolvers<Principal>();
  let asked = 0;
  authenticate = () => {
    asked += 1;
    return known;
  };
  const before = answered.length;
  const caller = connect(Number(new URL(url).port), '127.0.0.1');
  caller.write('GET /own HTTP/1.1\r\nhost: a\r\nauthorization: Bearer a\r\n\r\n');
  await until(() => asked > 0);
  caller.resetAndDestroy();
  const call = await until(() => answered[before]);
  assert.deepEqual([call.status, call.hungUp], [499, true], 'it is told as a call without an answer');
  know({ kind: 'platform' });
  await until(() => begun.length === 1);
  let idle = false;
  void calls.idle().then(() => {
    idle = true;
  });
  await until(() => idle, 10_000);
  authenticate = away;
});

it('a key that is revoked while its call waits to take its body apart is refused', async () => {
  const { promise, resolve: end } = Promise.withResolvers<void>();
  waitsFor = promise;
  let admittedMs = 0;
  authenticate = async () => {
    admittedMs = performance.now();
    const key = { keyId: 'k', keyName: 'k', mode: 'test', scopes: undefined, expiresAt: undefined } as const;
    return { kind: 'account', accountId: 'a', accountName: 'a', suspended: false, ...key };
  };
  const [begunBefore, answer] = [
    begun.length,
    callApi(url, 'POST', '/waits', { key: 'k', body: { a: 'a'.repeat(20_000) } }),
  ];
  await until(() => waiting > 0);
  authenticate = async () => {
    throw new ApiError('invalid_api_key', 'The key is revoked.');
  };
  await until(() => performance.now() - admittedMs > 600);
  end();
  assertProblem(await answer, 'invalid_api_key');
  assert.equal(begun.length, begunBefore);
  authenticate = away;
});
