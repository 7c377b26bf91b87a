import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { countStatuses } from '../nodes/books.ts';
import { listMessages, phoneNumbers, readApi, sendText } from '../support/call-gateway.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { startProxiedDatabase } from '../support/proxied-database.ts';
import { transmitsOf } from '../support/transmits.ts';
import { until } from '../support/until.ts';

/** Long enough to cut the database while the provider is thinking. */
const LATENCY_MS = 1_000;
/** Below the deadline of a send, by as much as a machine may stand still. What is quick takes 5 s. */
const QUICKLY_MS = 15_000;

it('a database that goes away before the outcomes are committed costs the caller neither answer nor outcome', async (t) => {
  const { proxy, gateway, dev } = await startWorld(t);
  const to = [...phoneNumbers(0, 10), '+15550131026', '0770'];
  const sent = sendText(dev, to, { key: 'outcomes' });
  await until(async () => (await transmitsOf(gateway.sandbox)).length === 11);
  const cutMs = Date.now();
  proxy.cut();
  const answer = await sent;
  assert.ok(Date.now() - cutMs < QUICKLY_MS, 'the answer comes from memory');
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual([answer.json.accepted_count, answer.json.failed_count], [10, 2]);
  proxy.restore();
  const requestId = answer.json.request_id;
  await until(async () => (await readApi(dev, `/api/v1/requests/${requestId}`)).json?.completed_at);
  for (const { status, id } of answer.json.results.slice(0, 11)) {
    const { json } = await readApi(dev, `/api/v1/messages/${id}`);
    assert.ok(status === 'failed' ? json.status === 'failed' : ACCEPTED.includes(json.status), json.status);
  }
  const again = await sendText(dev, to, { key: 'outcomes' });
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  assert.equal(again.text, answer.text);
  assert.equal((await transmitsOf(gateway.sandbox)).length, 11);
});

it('while the database is away sends are refused and transmit nothing, then or later', async (t) => {
  const { proxy, gateway, dev } = await startWorld(t);
  assert.equal((await readApi(dev, '/readyz')).status, 200);
  proxy.cut();
  await until(async () => (await readApi(dev, '/readyz')).status === 503);
  const refused = await sendText(dev, phoneNumbers(0, 3), { key: 'away' });
  assert.equal(refused.status, 503, refused.text);
  assert.equal(refused.json.code, 'unavailable');
  assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/);
  assert.equal((await fetch(`${gateway.url}/healthz`)).status, 200);
  proxy.restore();
  await until(async () => (await readApi(dev, '/readyz')).status === 200);
  const accepted = await sendText(dev, phoneNumbers(0, 3), { key: 'away' });
  assert.equal(accepted.json.accepted_count, 3, 'the refused call has left the key free');
  await onlyTransmitted(gateway, 3);
});

for (const delivered of [true, false]) {
  const how = delivered ? 'committed unseen' : 'not committed';
  it(`a first commit that is cut off and ${how} transmits nothing and leaves the key free`, async (t) => {
    const { proxy, gateway, dev } = await startWorld(t);
    const text = 'This one is cut off';
    const isCut = proxy.cutAt(text, { delivered });
    const refused = await sendText(dev, phoneNumbers(0, 3), { key: 'doubt', text });
    await isCut;
    assert.equal(refused.status, 503, refused.text);
    assert.equal(refused.json.code, 'unavailable');
    proxy.restore();
    await until(async () => (await readApi(dev, '/readyz')).status === 200);
    const accepted = await until(async () => {
      const answer = await sendText(dev, phoneNumbers(0, 3), { key: 'doubt', text });
      return answer.status === 200 ? answer : undefined;
    });
    assert.equal(accepted.headers.get('idempotent-replayed'), null, 'the key was free');
    assert.equal(accepted.json.accepted_count, 3);
    assert.equal((await listMessages(dev, 'direction=outbound')).length, 3, 'the first one is withdrawn');
    await onlyTransmitted(gateway, 3);
  });
}

it('a database that stops answering costs a send its commit, not its caller an endless wait', async (t) => {
  const { proxy, gateway, dev } = await startWorld(t);
  const text = 'This one is held up';
  // The gateway knows the key and its channel by now, so the stall affects the commit.
  await sendText(dev, phoneNumbers(1, 1));
  const blocked = proxy.stallAt(text);
  const startedMs = Date.now();
  const refused = await sendText(dev, phoneNumbers(0, 3), { key: 'stall', text });
  await blocked;
  assert.equal(refused.status, 503, refused.text);
  assert.ok(Date.now() - startedMs < QUICKLY_MS);
  proxy.restore();
  const accepted = await until(async () => {
    const answer = await sendText(dev, phoneNumbers(0, 3), { key: 'stall', text });
    return answer.status === 200 ? answer : undefined;
  });
  assert.equal(accepted.headers.get('idempotent-replayed'), null, 'the held-up request is withdrawn');
  await onlyTransmitted(gateway, 4);
});

it('a database that stops answering costs no caller more than seconds, even where its key is not known yet', async (t) => {
  const { proxy, gateway, dev } = await startWorld(t);
  await sendText(dev, phoneNumbers(1, 1));
  proxy.stall();
  // A key is believed only for a moment. After that it is looked up again, on connections that are open but dead.
  const startedMs = Date.now();
  await until(async () => {
    const askedMs = Date.now();
    const refused = await readApi(dev, '/api/v1/account');
    assert.ok(Date.now() - askedMs < QUICKLY_MS, `${Date.now() - askedMs} ms`);
    return refused.status === 503;
  });
  assert.equal((await sendText(dev, phoneNumbers(0, 3))).status, 503);
  assert.ok(Date.now() - startedMs < 2 * QUICKLY_MS);
  proxy.restore();
  await until(async () => (await readApi(dev, '/readyz')).status === 200);
  await onlyTransmitted(gateway, 1);
});

it('a connection that dies without a word costs those their commit who share it, and nobody else; what it brings later is not begun', async (t) => {
  const { proxy, gateway, dev } = await startWorld(t);
  const text = 'This one meets the dead connection';
  await sendText(dev, phoneNumbers(1, 1));
  const silenced = proxy.silenceAt(text);
  const lost = sendText(dev, phoneNumbers(0, 3), { key: 'dead', text });
  await silenced;
  const next = await sendText(dev, phoneNumbers(2, 1));
  assert.equal(next.status, 200, next.text);
  assert.equal((await readApi(dev, '/readyz')).status, 200);
  assert.equal((await lost).status, 503);
  const again = await sendText(dev, phoneNumbers(0, 3), { key: 'dead', text });
  assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [200, null], again.text);
  // Now the lost commit reaches the database after all.
  proxy.restore();
  const replay = await sendText(dev, phoneNumbers(0, 3), { key: 'dead', text });
  assert.equal(replay.text, again.text);
  await onlyTransmitted(gateway, 5);
  assert.deepEqual(await countStatuses(gateway.database), { accepted: 5 });
});

const ACCEPTED = ['accepted', 'sent', 'delivered', 'read'];

/** A gateway whose database can be cut off, and whose sandbox posts no statuses. */
async function startWorld(t: TestContext) {
  const testDatabase = await startProxiedDatabase();
  const sandbox = { latencyMs: LATENCY_MS, statuses: 'off' } as const;
  const gateway = await startTestGateway({ testDatabase, sandbox });
  t.after(() => gateway.stop());
  const { proxy } = testDatabase;
  return { gateway, proxy, dev: { base_url: gateway.url, test_key: gateway.testKey } };
}

/** After its drain a gateway transmits nothing more, so the list is complete. */
async function onlyTransmitted({ app, sandbox }: TestGateway, count: number): Promise<void> {
  await app.drain();
  assert.equal((await transmitsOf(sandbox)).length, count);
}
