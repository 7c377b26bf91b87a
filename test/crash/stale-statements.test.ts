import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { transmitsOf } from '../support/transmits.ts';
import { until } from '../support/until.ts';

/** Long enough to make every connection forget its statements while the provider is thinking. */
const LATENCY_MS = 1_000;
const TO = '+447700900301';

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway({ sandbox: { statuses: 'off', latencyMs: LATENCY_MS } });
});
after(() => gateway.stop());

const send = (to: string, headers: Record<string, string> = {}) =>
  gateway.call('POST', '/api/v1/messages/send', { headers, body: { to, type: 'text', text: { body: 'Hello' } } });

/** As a pooler does when it resets its connections. It does so on all of them at the same time, so that none is missed. */
async function forgetPreparedStatements(): Promise<void> {
  const { total } = gateway.database.connections();
  const all = Promise.withResolvers<void>();
  let lent = 0;
  const forget = () =>
    gateway.database.transaction(async (tx) => {
      if (++lent === total) all.resolve();
      await all.promise;
      await tx.runScript('deallocate all');
    });
  await Promise.all(Array.from({ length: total }, forget));
}

it('outcomes are committed although the server has forgotten its prepared statements, and the process lives', async () => {
  // By then every connection has prepared the statements of a send.
  await Promise.all(Array.from({ length: 12 }, (_, place) => send(`+4477009004${10 + place}`)));
  const sent = send(TO, { 'idempotency-key': 'forgotten' });
  await until(async () => (await transmitsOf(gateway.sandbox, TO)).length === 1);
  await forgetPreparedStatements();
  const answer = await sent;
  assert.deepEqual([answer.status, answer.json.accepted_count], [200, 1], answer.text);
  const again = await until(async () => {
    const repeated = await send(TO, { 'idempotency-key': 'forgotten' });
    // A call may use a connection that has forgotten its statements. Then the caller is told to come again.
    assert.ok([200, 409, 503].includes(repeated.status), repeated.text);
    return repeated.status === 200 ? repeated : undefined;
  });
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  assert.equal(again.text, answer.text);
});
