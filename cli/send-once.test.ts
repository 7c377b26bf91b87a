import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type LossyProxy, startLossyProxy } from '../client/test/lossy-proxy.ts';
import { startTestGateway, type TestGateway } from '../test/support/gateway.ts';
import { runCli } from './test-support.ts';

type Step = LossyProxy['plan'][number];

/** How many times the client makes a call, the first try included. */
const TRIES = 5;
const SENT = 'send --to +447700900141 --text hello'.split(' ');
const KEY_REFUSED: Step = { status: 401, code: 'invalid_api_key' };
const THROTTLED: Step = { status: 429, code: 'rate_limited', retryAfter: '0' };
/** It asks for a longer wait than the send may take, so that the client does not wait. */
const IN_FLIGHT: Step = { status: 409, code: 'idempotency_in_flight', retryAfter: '100' };

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway();
});
after(() => gateway.stop());

describe('a send of the command line that fails', () => {
  const open: [told: string, plan: Step[]][] = [
    ['was throttled', ['lose_answer', ...Array<Step>(TRIES - 1).fill(THROTTLED)]],
    ['was told that it is in flight', ['lose_answer', IN_FLIGHT]],
    ['had its key refused', ['lose_answer', KEY_REFUSED]],
    ['had its account suspended', ['lose_answer', { status: 403, code: 'account_suspended' }]],
    ['met a proxy that refused its size', ['lose_answer', { status: 413 }]],
  ];
  for (const [told, plan] of open)
    it(`tells its key if an answer was lost before it ${told}, and the key gives the first answer`, async () => {
      const { exitCode, stderr } = await sendThrough(plan);
      assert.equal(exitCode, 1);
      const [, key = ''] = /Repeat it safely.* --idempotency-key (\S+)\n$/.exec(stderr) ?? [];
      const again = await runCli([...SENT, '--idempotency-key', key], env(gateway.url));
      assert.match(again.stderr, /nothing was sent now/, stderr);
    });

  it('tells its key if one with that key is in flight, although it is its first try', async () => {
    const { stderr } = await sendThrough([IN_FLIGHT], '--idempotency-key', 'order-44');
    assert.match(stderr, /Repeat it safely.* --idempotency-key order-44\n$/);
  });

  it('tells its key if a proxy has waited in vain, which may have passed it on', async () => {
    const { stderr } = await sendThrough([{ status: 408 }], '--idempotency-key', 'order-45');
    assert.match(stderr, /Repeat it safely.* --idempotency-key order-45\n$/);
  });

  it('tells its key behind a fault of the gateway, and behind an answer that is none of a gateway', async () => {
    for (const plan of [[{ status: 500, code: 'internal_error' }, KEY_REFUSED], [{ status: 200 }]]) {
      const { stderr } = await sendThrough(plan, '--idempotency-key', 'order-46');
      assert.match(stderr, /Repeat it safely.* --idempotency-key order-46\n$/);
    }
  });

  const refused: [told: string, plan: Step[]][] = [
    ['its key is wrong', [KEY_REFUSED]],
    ['it was throttled at every try', Array<Step>(TRIES).fill(THROTTLED)],
    ['its content was refused after a lost try', ['lose_request', { status: 422, code: 'invalid_request' }]],
    ['it has no channel after a lost try', ['lose_request', { status: 422, code: 'no_channel' }]],
  ];
  for (const [told, plan] of refused)
    it(`says nothing of an open outcome where nothing can have been sent: ${told}`, async () => {
      const { exitCode, stderr } = await sendThrough(plan);
      assert.equal(exitCode, 1);
      assert.doesNotMatch(stderr, /not known whether|--idempotency-key/);
    });
});

it('a send whose answer was lost, and came when it asked again, is not told that it sent nothing', async () => {
  const { exitCode, stderr } = await sendThrough(['lose_answer', 'pass']);
  assert.equal(exitCode, 0, stderr);
  assert.match(stderr, /^1 accepted, [\s\S]*nothing was sent twice/);
  assert.doesNotMatch(stderr, /nothing was sent now/);
});

it('a send says nothing of an open outcome where no try came to a connection', async () => {
  const away = await startLossyProxy(gateway.url);
  await away.close();
  const { exitCode, stderr } = await runCli(SENT, env(away.url));
  assert.equal(exitCode, 1);
  assert.match(stderr, /the connection was refused/);
  assert.doesNotMatch(stderr, /not known whether|--idempotency-key/);
});

it('a send ends with 0 only where every recipient was accepted or is valid, and with 2 where its key is none', async () => {
  const [unknown, broken] = ['+15552000001', '0770'];
  const codeOf = async (...args: string[]) => (await runCli([...args, '--text', 'hello'], env(gateway.url))).exitCode;
  assert.equal(await codeOf('send', '--to', unknown), 1);
  assert.equal(await codeOf('validate', '--to', broken), 1);
  assert.equal(await codeOf('validate', '--to', unknown), 0);
  const { exitCode, stderr } = await runCli([...SENT, '--idempotency-key', 'order 47'], env(gateway.url));
  assert.equal(exitCode, 2);
  assert.match(stderr, /--idempotency-key must be/);
});

it('a check whose answer was lost says nothing of what may have been done, because it does nothing', async () => {
  const behind = await startLossyProxy(gateway.url);
  behind.plan.push('lose_answer');
  const { exitCode, stderr } = await runCli(['validate', ...SENT.slice(1)], env(behind.url));
  await behind.close();
  assert.equal(exitCode, 1);
  assert.match(stderr, /^No answer from/);
  assert.doesNotMatch(stderr, /not known whether/);
});

const env = (url: string) => ({ WAYPOST_URL: url, WAYPOST_API_KEY: gateway.testKey });

async function sendThrough(plan: readonly Step[], ...more: string[]) {
  const behind = await startLossyProxy(gateway.url);
  behind.plan.push(...plan);
  const run = await runCli([...SENT, ...more], env(behind.url));
  await behind.close();
  assert.equal(behind.seen.length, plan.length, run.stderr);
  return run;
}
