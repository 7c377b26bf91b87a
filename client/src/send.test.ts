import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import { transmitsOf } from '../../test/support/transmits.ts';
import { type LossyProxy, startLossyProxy } from '../test/lossy-proxy.ts';
import { type ResultEntry, type SendBody, Waypost, WaypostError } from './index.ts';

describe('send', () => {
  let gateway: TestGateway;
  let proxy: LossyProxy;
  let waypost: Waypost;
  before(async () => {
    gateway = await startTestGateway({ settings: { WAYPOST_PROVIDER_TIMEOUT_MS: '6000' } });
    proxy = await startLossyProxy(gateway.url);
    waypost = new Waypost({ baseUrl: `${proxy.url}/`, apiKey: gateway.testKey });
  });
  beforeEach(() => {
    proxy.seen.length = 0;
    proxy.plan = [];
  });
  after(async () => {
    await proxy.close();
    await gateway.stop();
  });

  it('answers with an entry for each recipient, which its status narrows', async () => {
    const answer = await waypost.send(textTo(['+447700900123', '0770', '+15550131026', '+15552000001']));
    assert.deepEqual([answer.accepted_count, answer.failed_count, answer.unknown_count], [1, 2, 1]);
    assert.equal(answer.replayed, false);
    const told = answer.results.map(tell);
    assert.deepEqual(told, ['msg_', 'invalid_recipient', 'recipient_unreachable', 'msg_ false']);
  });

  it('has one key for each send, and takes one of the caller', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await waypost.send(textTo('+447700900001'));
    await waypost.send(textTo('+447700900001'));
    await waypost.send(textTo('+447700900001'), { idempotencyKey: 'order-42', traceparent });
    const [first, second, third] = proxy.seen.map(({ headers }) => headers['idempotency-key']);
    assert.match(String(first), /^[0-9a-f-]{36}$/);
    assert.notEqual(first, second);
    assert.equal(third, 'order-42');
    assert.equal(proxy.seen[2]?.headers.traceparent, traceparent);
  });

  it('tells that an answer is that of an earlier send with the same key', async () => {
    const { replayed, ...first } = await waypost.send(textTo('+447700900002'), { idempotencyKey: 'twice' });
    const second = await waypost.send(textTo('+447700900002'), { idempotencyKey: 'twice' });
    assert.equal(replayed, false);
    assert.deepEqual(second, { ...first, replayed: true });
    assert.equal((await transmitsOf(gateway.sandbox, '+447700900002')).length, 1);
  });

  for (const [place, step] of (['lose_request', 'lose_answer', 'cut'] as const).entries())
    it(`repeats with the same key and bytes after a lost connection, and the message goes out once: ${step}`, async () => {
      const to = `+4477009001${String(place).padStart(2, '0')}`;
      proxy.plan = [step];
      const answer = await waypost.send(textTo(to));
      assert.equal(answer.accepted_count, 1);
      assert.equal((await transmitsOf(gateway.sandbox, to)).length, 1);
      const [first, ...rest] = proxy.seen;
      assert.ok(rest.length >= 1);
      for (const again of rest) {
        assert.equal(again.body, first?.body);
        assert.equal(again.headers['idempotency-key'], first?.headers['idempotency-key']);
      }
    });

  it('waits for a first try that still runs, however often it has to ask', async () => {
    proxy.plan = ['cut'];
    const patient = new Waypost({ baseUrl: proxy.url, apiKey: gateway.testKey, retriesMax: 1 });
    const answer = await patient.send(textTo('+15552000003'));
    assert.equal(answer.replayed, true);
    assert.equal(answer.results[0]?.status, 'unknown');
    assert.ok(proxy.seen.length >= 3, String(proxy.seen.length));
    assert.equal((await transmitsOf(gateway.sandbox, '+15552000003')).length, 1);
  });

  it('throws what was wrong with a send, with every fault and the key, and does not repeat it', async () => {
    const body: SendBody = JSON.parse('{"to": 7, "type": "text", "txt": {}}');
    const error = await rejection(waypost.send(body, { idempotencyKey: 'wrong' }));
    assert.equal(error.code, 'invalid_request');
    assert.equal(error.status, 422);
    assert.match(error.requestId ?? '', /^req_/);
    assert.deepEqual(error.errors.map((fault) => ('pointer' in fault ? fault.pointer : fault.parameter)).toSorted(), [
      '#/text',
      '#/to',
      '#/txt',
    ]);
    assert.equal(error.idempotencyKey, 'wrong');
    assert.equal(proxy.seen.length, 1);
  });

  it('refuses a key or a trace that no header can carry, before anything is sent', async () => {
    await assert.rejects(waypost.send(textTo('+447700900003'), { idempotencyKey: 'Grüße' }), TypeError);
    await assert.rejects(waypost.send(textTo('+447700900003'), { traceparent: 'a\nb' }), TypeError);
    const none: string = JSON.parse('null');
    await assert.rejects(waypost.send(textTo('+447700900003'), { idempotencyKey: none }), TypeError);
    assert.equal(proxy.seen.length, 0);
  });

  it('checks a send without sending', async () => {
    const validation = await waypost.validate(textTo(['+447700900004', 'nobody']));
    assert.deepEqual([validation.valid_count, validation.invalid_count], [1, 1]);
    const [valid, invalid] = validation.results;
    assert.equal(valid?.warnings?.[0]?.code, 'window_not_known');
    assert.equal(invalid?.status === 'invalid' && invalid.error.code, 'invalid_recipient');
    assert.equal((await transmitsOf(gateway.sandbox, '+447700900004')).length, 0);
  });
});

function textTo(to: string | string[]): SendBody {
  return { to, type: 'text', text: { body: 'Your parcel is here' } };
}

/** Compiles only because the status says which members are there. */
function tell(entry: ResultEntry): string {
  switch (entry.status) {
    case 'accepted':
      return entry.id.slice(0, 4);
    case 'failed':
      return entry.error.code;
    case 'unknown':
      return `${entry.id.slice(0, 4)} ${entry.error.retryable}`;
  }
}

async function rejection(promise: Promise<unknown>): Promise<WaypostError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof WaypostError);
  return error;
}
