import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { assertProblem } from '../support/problem.ts';
import { until } from '../support/until.ts';

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway({
    settings: { WAYPOST_RATE_REQUESTS: '4', WAYPOST_RATE_RECIPIENTS: '50' },
    sandbox: { statuses: 'off' },
  });
});
after(() => gateway.stop());

const POLICY = '"requests";q=4;w=1, "recipients";q=50;w=1';

describe('the limits of a key', () => {
  it('stand on every answer to it, and count down', async () => {
    const key = await gateway.createKey({});
    const body = { to: ['+447700900951', '+447700900952'], type: 'text', text: { body: 'Hello' } };
    const { status, headers } = await gateway.call('POST', '/api/v1/messages/send', { key, body });
    assert.equal(status, 200);
    assert.equal(headers.get('ratelimit-policy'), POLICY);
    const [, requests, recipients] =
      /^"requests";r=(\d+);t=1, "recipients";r=(\d+);t=1$/.exec(headers.get('ratelimit') ?? '') ?? [];
    assert.ok(Number(requests) <= 4 && Number(recipients) <= 50 && requests !== undefined);
    const wrong = await gateway.call('POST', '/api/v1/messages/send', { key, body: '{' });
    assert.equal(wrong.headers.get('ratelimit-policy'), POLICY);
  });

  it('stand on the refusal of a path or a method too, which takes nothing', async () => {
    const key = await gateway.createKey({});
    const calls: [string, string, number][] = [
      ['GET', '/api/v1/nothing', 404],
      ['GET', '/api/v1/messages/', 404],
      ['GET', '/api/v1/messages/%zz', 404],
      ['GET', '/api/v1/messages/%ff', 404],
      ['GET', `/api/v1/messages/${'a'.repeat(2_000)}`, 404],
      ['PUT', '/api/v1/messages', 405],
      ['GET', '/api/v1/messages/send', 405],
      ['DELETE', '/platform/v1/accounts', 405],
    ];
    for (const [method, path, expected] of calls) {
      const { status, headers } = await gateway.call(method, path, { key });
      const fields = [headers.get('ratelimit-policy'), headers.get('ratelimit')];
      assert.deepEqual([status, ...fields], [expected, POLICY, '"requests";r=4;t=1, "recipients";r=50;t=1'], path);
    }
  });

  it('refuse the next call until there is room again, for this key alone', async () => {
    const [key, other] = [await gateway.createKey({}), await gateway.createKey({})];
    const call = (of: string) => gateway.call('GET', '/api/v1/account', { key: of });
    const refused = await until(async () => {
      const answer = await call(key);
      return answer.status === 200 ? undefined : answer;
    });
    assertProblem(refused, 'rate_limited');
    assert.equal(refused.headers.get('retry-after'), '1');
    assert.match(refused.headers.get('ratelimit') ?? '', /^"requests";r=0;/);
    assert.equal((await call(other)).status, 200);
    await until(async () => (await call(key)).status === 200);
  });

  it('are not on answers to nobody, to the platform, on the callback, or about health and errors', async () => {
    const calls: [string, string, string | null][] = [
      ['GET', '/healthz', null],
      ['GET', '/readyz', gateway.testKey],
      ['POST', '/readyz', gateway.testKey],
      ['GET', '/docs/errors/not_found', gateway.testKey],
      ['GET', '/docs/nothing', gateway.testKey],
      ['GET', '/api/messaging/webhook', gateway.testKey],
      ['PUT', '/api/messaging/webhook', gateway.testKey],
      ['GET', '/nothing', null],
      ['GET', '/api/v1/account', null],
      ['PUT', '/api/v1/account', null],
      ['GET', '/platform/v1/accounts', gateway.platformKey],
    ];
    for (const [method, path, key] of calls) {
      const { headers } = await gateway.call(method, path, { key });
      assert.deepEqual([headers.get('ratelimit'), headers.get('ratelimit-policy')], [null, null], path);
    }
  });
});
