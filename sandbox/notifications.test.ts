import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Callbacks } from './notify/callbacks.ts';
import { IN_FLIGHT_MAX, Notifier } from './notify/notifier.ts';
import { APP_SECRET, itemOf, member, post, type Received, send, startReceiver, startSandbox } from './test-support.ts';

const PERSON = '+447700900124';

describe('notifications', () => {
  it('are signed over the raw bytes, which are ASCII', async (t) => {
    const receiver = await startReceiver(t);
    const sandbox = await startSandbox(t, { callbackUrls: [receiver.url] });
    await send(sandbox, { to: PERSON, biz_opaque_callback_data: 'naïve 👋' });
    for (const one of await receiver.count(3)) {
      const expected = createHmac('sha256', APP_SECRET).update(one.bytes).digest('hex');
      assert.equal(one.headers['x-hub-signature-256'], `sha256=${expected}`);
      assert.equal(one.headers['content-type'], 'application/json');
      assert.match(one.body, /^[ -~]+$/);
      assert.match(one.body, /na\\u00efve \\ud83d\\udc4b/);
      assert.equal(member(itemOf(one), 'biz_opaque_callback_data'), 'naïve 👋');
    }
  });

  it('are posted again until the callback answers 200, and each time the same', async (t) => {
    const receiver = await startReceiver(t, (_one, number) => [503, 204, 302][number - 1] ?? 200);
    const sandbox = await startSandbox(t, { callbackUrls: [receiver.url], timeScale: 50 });
    await send(sandbox, { to: '+15552000008' });
    const received = await receiver.count(4);
    assert.equal(new Set(received.map(({ body }) => body)).size, 1);
    await until(async () => (await waiting(sandbox)) === 0);
    const pausesMs = received.slice(1).map(({ atMs }, index) => atMs - (received[index]?.atMs ?? 0));
    const leastMs = [20, 40, 80];
    assert.ok(
      leastMs.every((least, index) => (pausesMs[index] ?? 0) >= least - 2),
      String(pausesMs),
    );
  });

  it('go to the next callback where the connection to one is refused', async (t) => {
    const [gone, alive] = [await startReceiver(t), await startReceiver(t)];
    await gone.close();
    const sandbox = await startSandbox(t, { callbackUrls: [gone.url, alive.url] });
    await send(sandbox, { to: '+15552000008' });
    assert.equal((await alive.count(1)).length, 1);
  });

  it('wait for a callback that registers later', async (t) => {
    const sandbox = await startSandbox(t, { timeScale: 20 });
    await send(sandbox, { to: '+15552000008' });
    const receiver = await startReceiver(t);
    assert.equal((await register(sandbox, { url: receiver.url })).status, 200);
    assert.equal((await receiver.count(1))[0]?.kind, 'read');
  });

  it('tell the business account whose templates the access token has read, and the number', async (t) => {
    const receiver = await startReceiver(t);
    const sandbox = await startSandbox(t, { callbackUrls: [receiver.url] });
    const headers = { authorization: 'Bearer any-token' };
    await fetch(`${sandbox.url}/v25.0/2002/message_templates`, { headers });
    await send(sandbox, { to: '+15552000008' });
    const { data } = Object(await (await fetch(`${sandbox.url}/v25.0/2002/phone_numbers`, { headers })).json());
    const notification: unknown = JSON.parse((await receiver.count(1))[0]?.body ?? '');
    assert.equal(member(notification, 'object'), 'whatsapp_business_account');
    assert.equal(member(notification, 'entry', 0, 'id'), '2002');
    assert.equal(member(notification, 'entry', 0, 'changes', 0, 'field'), 'messages');
    assert.deepEqual(member(notification, 'entry', 0, 'changes', 0, 'value', 'metadata'), {
      display_phone_number: String(member(data, 0, 'display_phone_number')).replace('+', ''),
      phone_number_id: '1001',
    });
  });

  it('of a business account are lost while its subscription is, and those of others are not', async (t) => {
    const receiver = await startReceiver(t);
    const sandbox = await startSandbox(t, { callbackUrls: [receiver.url] });
    const headers = { authorization: 'Bearer any-token' };
    await fetch(`${sandbox.url}/v25.0/2002/message_templates`, { headers });
    const ask = async (method: string) =>
      assert.equal((await fetch(`${sandbox.url}/v25.0/2002/subscribed_apps`, { method, headers })).status, 200);
    const write = async (of: string) => {
      const written = { phone_number_id: of, from: PERSON, text: 'Hello' };
      return Object(await (await post(`${sandbox.url}/_sandbox/inbound`, written)).json()).status;
    };
    await send(sandbox, { to: '+15552000011' });
    assert.equal(await write('1001'), 200, 'it was never subscribed, and none was taken away');
    await ask('DELETE');
    assert.equal((await send(sandbox, { to: '+15552000009' })).status, 200);
    assert.equal(await write('1001'), null);
    assert.equal(await write('1002'), 200);
    await ask('POST');
    assert.equal(await write('1001'), 200);
    assert.deepEqual(
      receiver.received.map(({ kind }) => kind),
      ['text', 'text', 'text'],
      'what was lost does not come later',
    );
  });

  it('go to the callback that was registered last', async (t) => {
    const [first, last] = [await startReceiver(t), await startReceiver(t)];
    const sandbox = await startSandbox(t, { callbackUrls: [first.url] });
    await register(sandbox, { url: last.url });
    await send(sandbox, { to: PERSON });
    await last.count(3);
    assert.equal(first.received.length, 0);
    await register(sandbox, { url: first.url, again: true });
    await send(sandbox, { to: PERSON });
    await last.count(6);
    assert.equal(first.received.length, 0, 'who is only told again stays behind');
  });

  it('are refused a callback by whoever does not know the app secret', async (t) => {
    const sandbox = await startSandbox(t);
    const body = JSON.stringify({ url: 'http://127.0.0.1:1/' });
    for (const signature of ['', 'sha256=00', `sha256=${'0'.repeat(64)}`]) {
      const headers = { 'x-hub-signature-256': signature };
      assert.equal((await fetch(`${sandbox.url}/_sandbox/callback`, { method: 'POST', headers, body })).status, 401);
    }
  });

  it('are dropped, the oldest first, where too many wait', async () => {
    const sentences: string[] = [];
    const log = (sentence: string) => sentences.push(sentence);
    const callbacks = new Callbacks([], 1);
    const notifier = new Notifier({ appSecret: APP_SECRET, callbacks, timeScale: 1, log, waitingMax: 10 });
    for (let number = 0; number < 25; number += 1) notifier.post({ number });
    assert.deepEqual(notifier.counts, { waiting: 10, lost: 15 });
    assert.equal(sentences.length, 1);
    notifier.clear();
    assert.deepEqual(notifier.counts, { waiting: 0, lost: 15 });
    // So many are in flight at once, and the last one waits for its turn.
    const posted = Array.from({ length: IN_FLIGHT_MAX + 1 }, () => notifier.post({}));
    notifier.clear();
    assert.equal(await posted.at(-1)?.tried, undefined, 'nobody waits for what was forgotten');
    await callbacks.close();
  });

  it('can be anything at all: signed, posted once, and the status told', async (t) => {
    const receiver = await startReceiver(t, (one: Received) => (one.body.includes('no') ? 503 : 200));
    const sandbox = await startSandbox(t, { callbackUrls: [receiver.url] });
    const url = `${sandbox.url}/_sandbox/notifications`;
    assert.deepEqual(await (await post(url, { say: 'no' })).json(), { status: 503 });
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (notification) => {
        const before = receiver.received.length;
        await post(url, notification);
        const one = receiver.received[before];
        assert.ok(one !== undefined);
        assert.deepEqual(JSON.parse(one.body), JSON.parse(JSON.stringify(notification)));
        const expected = createHmac('sha256', APP_SECRET).update(one.bytes).digest('hex');
        assert.equal(one.headers['x-hub-signature-256'], `sha256=${expected}`);
      }),
      { numRuns: 50 },
    );
  });

  it('bring a text from a person on request', async (t) => {
    const receiver = await startReceiver(t);
    const sandbox = await startSandbox(t, { callbackUrls: [receiver.url] });
    const inbound = { phone_number_id: '1001', from: PERSON, text: 'Grüße' };
    const answer = await (await post(`${sandbox.url}/_sandbox/inbound`, inbound)).json();
    assert.equal(member(answer, 'status'), 200);
    const [one] = await receiver.count(1);
    assert.ok(one !== undefined);
    assert.equal(member(itemOf(one), 'id'), member(answer, 'id'));
    assert.equal(member(itemOf(one), 'from'), PERSON.slice(1));
    assert.deepEqual(member(itemOf(one), 'text'), { body: 'Grüße' });
    assert.equal((await post(`${sandbox.url}/_sandbox/inbound`, { ...inbound, from: 'x' })).status, 422);
  });

  it('go to the number that wrote to the person last, or wrote what is answered, unless a number is named', async (t) => {
    const receiver = await startReceiver(t);
    const sandbox = await startSandbox(t, { callbackUrls: [receiver.url], statuses: 'off' });
    const call = (body: object) => post(`${sandbox.url}/_sandbox/inbound`, { from: PERSON, text: 'Hello', ...body });
    const refused = await call({});
    assert.equal(refused.status, 422);
    assert.match(await refused.text(), /phone_number_id/);
    const write = async (line: string, to: object) => {
      const text = { messaging_product: 'whatsapp', type: 'text', text: { body: 'Hello' } };
      const url = `${sandbox.url}/v23.0/${line}/messages`;
      return member(
        await (await post(url, { ...text, ...to }, { authorization: 'Bearer any-token' })).json(),
        'messages',
        0,
        'id',
      );
    };
    const first = await write('1001', { to: PERSON });
    await write('1002', { to: PERSON });
    await write('1003', { to: '+15550199999' });
    await write('1004', { recipient: 'GB.1234' });
    for (const body of [{}, { reply_to: first }, { reply_to: 'x' }, { from: 'GB.1234' }, { phone_number_id: '1005' }])
      assert.equal((await call(body)).status, 200);
    const lines = (await receiver.count(5)).map(({ body }) =>
      member(JSON.parse(body), 'entry', 0, 'changes', 0, 'value', 'metadata', 'phone_number_id'),
    );
    assert.deepEqual(lines, ['1002', '1001', '1002', '1004', '1005']);
  });

  it('bring the answer of a person whose number is hidden, by the user id that the statuses named', async (t) => {
    const receiver = await startReceiver(t);
    const sandbox = await startSandbox(t, { callbackUrls: [receiver.url] });
    await send(sandbox, { to: '+15552000012' });
    const [status] = await receiver.count(3);
    const from = member(status && itemOf(status), 'recipient_user_id');
    const answer = await post(`${sandbox.url}/_sandbox/inbound`, { from, text: 'Hello' });
    assert.equal(answer.status, 200, await answer.text());
    const written = (await receiver.count(4))[3];
    assert.equal(member(written && itemOf(written), 'from_user_id'), from);
  });

  it('bring an answer to a message, and a press of a button under one, on request', async (t) => {
    const receiver = await startReceiver(t);
    const sandbox = await startSandbox(t, { callbackUrls: [receiver.url] });
    const inbound = { phone_number_id: '1001', from: PERSON, reply_to: 'wamid.OURS' };
    const button = { payload: 'confirm-42', text: 'Confirm' };
    const call = async (body: object) => (await post(`${sandbox.url}/_sandbox/inbound`, body)).status;
    assert.equal(await call({ ...inbound, text: 'Yes' }), 200);
    assert.equal(await call({ ...inbound, button }), 200);
    const [answer, press] = await receiver.count(2);
    assert.ok(answer !== undefined && press !== undefined);
    assert.deepEqual(member(itemOf(answer), 'text'), { body: 'Yes' });
    assert.deepEqual(member(itemOf(press), 'button'), button);
    assert.equal(member(itemOf(press), 'type'), 'button');
    for (const one of [answer, press]) {
      const line = member(JSON.parse(one.body), 'entry', 0, 'changes', 0, 'value', 'metadata', 'display_phone_number');
      assert.deepEqual(member(itemOf(one), 'context'), { from: line, id: 'wamid.OURS' });
    }
    assert.equal(await call(inbound), 422, 'nothing to say');
    assert.equal(await call({ ...inbound, text: 'Yes', button }), 422, 'two messages in one');
    assert.equal(await call({ ...inbound, button: { text: 'Confirm' } }), 422);
  });
});

function register(sandbox: { url: string }, registration: object): Promise<Response> {
  const body = JSON.stringify(registration);
  const signature = `sha256=${createHmac('sha256', APP_SECRET).update(body).digest('hex')}`;
  return fetch(`${sandbox.url}/_sandbox/callback`, {
    method: 'POST',
    headers: { 'x-hub-signature-256': signature },
    body,
  });
}

async function waiting(sandbox: { url: string }): Promise<unknown> {
  return member(await (await fetch(`${sandbox.url}/_sandbox/health`)).json(), 'notifications', 'waiting');
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const limitMs = Date.now() + 10_000;
  while (!(await condition())) assert.ok(Date.now() < limitMs, 'The condition did not come true.');
}
