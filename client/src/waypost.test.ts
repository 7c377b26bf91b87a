import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Receiver, startReceiver } from '../../test/endpoints/receiver.ts';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import { until } from '../../test/support/until.ts';
import { verifyWebhook, Waypost, type WaypostEvent } from './index.ts';

describe('the client', () => {
  let gateway: TestGateway;
  let receiver: Receiver;
  let waypost: Waypost;
  before(async () => {
    gateway = await startTestGateway({ callback: true });
    receiver = await startReceiver();
    waypost = new Waypost({ baseUrl: gateway.url, apiKey: gateway.testKey });
  });
  after(async () => {
    await receiver.close();
    await gateway.stop();
  });

  it('reads messages back: one, a page, or all', async () => {
    const to = Array.from({ length: 5 }, (_, place) => `+44770090030${place}`);
    const sent = await waypost.send({ to, type: 'text', text: { body: 'One of five' }, client_reference: 'five' });
    const page = await waypost.messages.list({ client_reference: 'five', limit: 2 });
    assert.equal(page.data.length, 2);
    assert.notEqual(page.next_cursor, null);
    const all = await Array.fromAsync(waypost.messages.iterate({ client_reference: 'five', limit: 2 }));
    assert.deepEqual(all.map((message) => message.to).toSorted(), to);
    const byNumber = await waypost.messages.list({ to: '+447700900303' });
    assert.equal(byNumber.data[0]?.client_reference, 'five');
    const message = await waypost.messages.get(all[0]?.id ?? '');
    assert.equal(message.text?.body, 'One of five');
    assert.equal(message.timeline[0]?.status, 'accepted');
    const request = await waypost.requests.get(sent.request_id);
    assert.deepEqual([request.accepted_count, request.pending_count], [5, 0]);
  });

  it('tells what is not there, whatever the id looks like', async () => {
    for (const id of ['msg_unknown', '../account', 'a/b?c#d', ' '])
      await assert.rejects(waypost.messages.get(id), { name: 'WaypostError', code: 'not_found', status: 404 });
  });

  it('reads templates, channels and the account', async () => {
    const { total } = await waypost.templates.sync();
    const templates = await Array.fromAsync(waypost.templates.iterate({ limit: 3 }));
    assert.equal(templates.length, total);
    const [german] = (await waypost.templates.list({ name: 'order_update', language: 'de' })).data;
    assert.equal((await waypost.templates.get(german?.id ?? '')).language, 'de');
    const { data: channels } = await waypost.channels.list();
    assert.deepEqual(await Array.fromAsync(waypost.channels.iterate({ limit: 1 })), channels);
    assert.equal(channels[0]?.mode, 'test');
    assert.equal((await waypost.account.get()).id, gateway.accountId);
  });

  it('reads statistics', async () => {
    const since = '2026-01-31T12:00:00.000Z';
    const { step, buckets } = await waypost.statistics.get({
      since,
      until: '2026-01-31T13:00:00.000Z',
      step: 'minute',
    });
    assert.deepEqual([step, buckets.length, buckets[0]?.at], ['minute', 60, since]);
    assert.equal((await waypost.statistics.get()).step, 'hour');
  });

  it('manages endpoints, whose events it verifies with the old and the new secret', async () => {
    const created = await waypost.endpoints.create({ url: receiver.url, types: ['message.delivered'] });
    const { secret, ...endpoint } = created;
    assert.deepEqual(await waypost.endpoints.get(endpoint.id), endpoint);
    assert.deepEqual((await waypost.endpoints.list()).data, [endpoint]);
    assert.deepEqual(await Array.fromAsync(waypost.endpoints.iterate()), [endpoint]);
    const updated = await waypost.endpoints.update(endpoint.id, { description: 'The shop', types: null });
    assert.deepEqual([updated.description, updated.types], ['The shop', null]);
    const rotated = await waypost.endpoints.rotateSecret(endpoint.id, { overlap_seconds: 60 });

    const attempt = await waypost.endpoints.test(endpoint.id);
    assert.equal(attempt.outcome, 'succeeded');
    // Events about messages of other tests may arrive too.
    const received = receiver.received.find(({ body }) => body.includes('"endpoint.test"'));
    assert.ok(received);
    for (const secrets of [secret, rotated.secret, [secret, rotated.secret]]) {
      const event = await verifyWebhook({ ...received, secrets });
      assert.equal(event.type === 'endpoint.test' && event.data.endpoint.id, endpoint.id);
    }
    const { headers, body } = received;
    assert.deepEqual(await waypost.endpoints.checkSignature(endpoint.id, { headers, body }), {
      valid: true,
      problems: [],
    });
    const { problems } = await waypost.endpoints.checkSignature(endpoint.id, { headers, body: `${body} ` });
    assert.equal(problems[0]?.code, 'body_changed');

    const sent = await waypost.send({ to: '+447700900310', type: 'text', text: { body: 'Your parcel is here' } });
    const events = await until(async () => {
      const all = await Promise.all(receiver.received.map((one) => verifyWebhook({ ...one, secrets: secret })));
      const ofIt = all.filter((event) => 'message' in event.data && event.data.message.id === sent.results[0]?.id);
      return ofIt.length === 3 && ofIt;
    });
    assert.deepEqual(events.map(({ type }) => type).toSorted(), ['message.delivered', 'message.read', 'message.sent']);
    const [first] = events;
    const query = { event_id: first?.id, outcome: 'succeeded' } as const;
    await until(async () => (await waypost.endpoints.attempts(endpoint.id, query)).data.length === 1);
    const attempts = await Array.fromAsync(waypost.endpoints.iterateAttempts(endpoint.id, { limit: 1 }));
    assert.ok(attempts.some(({ event_id: id }) => id === first?.id));
    assert.deepEqual(await waypost.endpoints.replay(endpoint.id, { event_id: first?.id ?? '' }), { count: 1 });
    await waypost.endpoints.delete(endpoint.id);
    await assert.rejects(waypost.endpoints.get(endpoint.id), { code: 'not_found' });
  });

  it('lists events, each of a type that narrows it', async () => {
    await waypost.send({ to: '+15552000014', type: 'text', text: { body: 'Hello' } });
    const read = async () => (await waypost.events.list({ types: ['message.received'], waitSeconds: 5 })).data[0];
    const event = await until(read);
    assert.equal(tell(event), 'inbound');
    assert.equal((await waypost.events.list({ limit: 1 })).data.length, 1);
  });
});

/** Compiles only because the type says what the data contain. */
function tell(event: WaypostEvent): string {
  switch (event.type) {
    case 'message.received':
      return event.data.message.direction;
    case 'template.updated':
      return event.data.template.name;
    case 'channel.updated':
      return event.data.channel.phone_number;
    case 'account.updated':
      return event.data.account.name;
    case 'endpoint.disabled':
      return event.data.endpoint.url;
    default:
      return event.data.message.status;
  }
}
