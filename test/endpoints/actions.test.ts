import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { formatId, newId } from '../../src/kernel/ids.ts';
import type { TestAnswer } from '../support/gateway.ts';
import { least } from '../support/least.ts';
import { until } from '../support/until.ts';
import { type EndpointApi, startEndpointApi } from './api.ts';
import { type Harness, startHarness } from './harness.ts';
import { type Receiver, startReceiver } from './receiver.ts';

const PATH = '/api/v1/endpoints';

let harness: Harness;
let api: EndpointApi;
const receivers: Receiver[] = [];
before(async () => {
  harness = await startHarness();
  api = await startEndpointApi(harness);
});
after(async () => {
  await api.stop();
  await harness.stop();
  await Promise.all(receivers.map((receiver) => receiver.close()));
});
const receive: typeof startReceiver = async (answer) => {
  const receiver = await startReceiver(answer);
  receivers.push(receiver);
  return receiver;
};
const create = async (key: string, body: object = {}) => {
  const answer = await api.call(key, 'POST', PATH, { body: { url: 'https://example.com/hook', ...body } });
  assert.equal(answer.status, 201, answer.text);
  return answer.json;
};
const uuidOf = (id: string, accountId: string) =>
  harness.database
    .query<{ id: string }>('select id from endpoint where account_id = $1', [accountId])
    .then((rows) => rows.map((row) => row.id).find((uuid) => formatId('end', uuid) === id) ?? '');

describe('a rotation of the secret', () => {
  it('answers the new secret, and until when the one before signs too', async () => {
    const { key, principal } = api.key();
    const receiver = await receive();
    const { id, secret } = await create(key, { url: receiver.url });
    const answer = await api.call(key, 'POST', `${PATH}/${id}/rotate-secret`);
    assert.equal(answer.status, 200);
    assert.deepEqual(Object.keys(answer.json), ['secret', 'previous_expires_at']);
    const hours = (Date.parse(answer.json.previous_expires_at) - Date.now()) / 3_600_000;
    assert.ok(hours > 23.9 && hours <= 24.01);
    await harness.record(1, { accountId: principal.accountId });
    const { body, headers } = await until(() => receiver.received[0]);
    for (const valid of [secret, answer.json.secret])
      assert.doesNotThrow(() => new Webhook(valid).verify(body, headers));
  });

  it('without overlap leaves only the new one', async () => {
    const { key, principal } = api.key();
    const receiver = await receive();
    const { id, secret } = await create(key, { url: receiver.url });
    const answer = await api.call(key, 'POST', `${PATH}/${id}/rotate-secret`, { body: { overlap_seconds: 0 } });
    assert.equal(answer.json.previous_expires_at, null);
    await harness.record(1, { accountId: principal.accountId });
    const { body, headers } = await until(() => receiver.received[0]);
    assert.doesNotThrow(() => new Webhook(answer.json.secret).verify(body, headers));
    assert.throws(() => new Webhook(secret).verify(body, headers));
  });

  it('overlaps for at most a week', async () => {
    const { key } = api.key();
    const { id } = await create(key);
    for (const overlap_seconds of [-1, 604_801, 1.5, '60', null])
      assert.equal(
        (await api.call(key, 'POST', `${PATH}/${id}/rotate-secret`, { body: { overlap_seconds } })).status,
        422,
      );
    assert.equal(
      (await api.call(key, 'POST', `${PATH}/${id}/rotate-secret`, { body: { overlap_seconds: 604_800 } })).status,
      200,
    );
  });
});

describe('a test event', () => {
  it('is tried once, signed, without a sequence, and told in the answer alone', async () => {
    const { key, principal } = api.key();
    const receiver = await receive((response) => response.writeHead(503).end('not yet'));
    const { id, secret } = await create(key, { url: receiver.url, types: ['message.read'] });
    const answer = await api.call(key, 'POST', `${PATH}/${id}/test`);
    assert.equal(answer.status, 200);
    const { id: attemptId, event_id: eventId, at, duration_ms: _, ...rest } = answer.json;
    assert.match(attemptId, /^att_/);
    assert.ok(Date.parse(at));
    assert.deepEqual(rest, {
      type: 'endpoint.test',
      number: 1,
      outcome: 'failed',
      http_status: 503,
      error: null,
      answer: 'not yet',
      next_at: null,
    });
    const [{ body, headers } = { body: '', headers: {} }] = receiver.received;
    assert.doesNotThrow(() => new Webhook(secret).verify(body, headers));
    const event = JSON.parse(body);
    assert.deepEqual(Object.keys(event), ['id', 'type', 'timestamp', 'account_id', 'data']);
    assert.equal(event.id, eventId);
    assert.deepEqual((await api.call(key, 'GET', `${PATH}/${id}/attempts`)).json.data, []);
    const events = await harness.database.query('select 1 from event where account_id = $1', [principal.accountId]);
    assert.deepEqual(events, []);
    const again = await api.call(key, 'POST', `${PATH}/${id}/test`, { body: {} });
    assert.notEqual(again.json.event_id, eventId);
    assert.equal((await api.call(key, 'GET', `${PATH}/${id}`)).json.enabled, true);
  });

  it('runs no more than five times at once', async () => {
    const { key } = api.key();
    const held: ServerResponse[] = [];
    const receiver = await receive((response) => (held.length < 5 ? held.push(response) : response.end()));
    const { id } = await create(key, { url: receiver.url });
    const answers: TestAnswer[] = [];
    const calls = Array.from({ length: 8 }, async () => {
      answers.push(await api.call(key, 'POST', `${PATH}/${id}/test`));
    });
    await until(() => answers.length === 3 && held.length === 5);
    for (const { json, headers } of answers)
      assert.deepEqual([json.code, headers.get('retry-after')], ['rate_limited', '1']);
    for (const response of held) response.end();
    await Promise.all(calls);
    assert.deepEqual(
      answers.slice(3).map(({ status }) => status),
      Array(5).fill(200),
    );
    assert.equal((await api.call(key, 'POST', `${PATH}/${id}/test`)).status, 200);
  });
});

describe('the attempts', () => {
  it('are listed newest first, by event, by outcome and by pages', async () => {
    const { key, principal } = api.key();
    // The event that fails is tried again only after the test.
    const receiver = await receive((response, place) =>
      response.writeHead(place === 1 ? 500 : 200, { 'retry-after': '3600' }).end('ok'),
    );
    const { id } = await create(key, { url: receiver.url });
    const { accountId } = principal;
    const list = async (query = '') => (await api.call(key, 'GET', `${PATH}/${id}/attempts${query}`)).json;
    for (let count = 1; count <= 3; count += 1) {
      await harness.record(1, { accountId });
      await until(async () => (await list()).data.length === count);
    }
    const { data } = await list();
    assert.deepEqual(
      data.map(({ outcome }: { outcome: string }) => outcome),
      ['succeeded', 'failed', 'succeeded'],
    );
    const members = [
      'id',
      'event_id',
      'type',
      'number',
      'at',
      'outcome',
      'http_status',
      'error',
      'duration_ms',
      'answer',
      'next_at',
    ];
    assert.deepEqual(Object.keys(data[0]), members);
    assert.ok(Date.parse(data[1].next_at) > Date.now());
    assert.deepEqual((await list('?outcome=failed')).data, [data[1]]);
    assert.deepEqual((await list('?outcome=succeeded')).data, [data[0], data[2]]);
    assert.deepEqual((await list(`?event_id=${data[2].event_id}`)).data, [data[2]]);
    assert.deepEqual((await list(`?event_id=${data[2].event_id}&outcome=failed`)).data, []);
    assert.deepEqual((await list('?event_id=nonsense')).data, []);
    assert.deepEqual(
      (await list('?event_id=')).errors.map(({ parameter }: { parameter: string }) => parameter),
      ['event_id'],
    );
    const first = await list('?limit=2');
    assert.deepEqual((await list(`?limit=2&cursor=${first.next_cursor}`)).data, [data[2]]);
    assert.equal((await api.call(key, 'GET', `${PATH}/${id}/attempts?outcome=maybe`)).status, 422);
  });
});

describe('a replay', () => {
  it('delivers once more what was recorded after a number, also while the endpoint was off', async () => {
    const { key, principal } = api.key();
    const { accountId } = principal;
    const receiver = await receive();
    const { id } = await create(key, { url: receiver.url, types: ['message.read'] });
    await api.call(key, 'PATCH', `${PATH}/${id}`, { body: { enabled: false } });
    await harness.record(2, { accountId, type: 'message.read' });
    await harness.record(2, { accountId, type: 'message.sent' });
    await harness.record(1, { accountId, type: 'message.read', mode: 'live' });
    await harness.record(1, { accountId, type: 'message.read' });
    await api.call(key, 'PATCH', `${PATH}/${id}`, { body: { enabled: true } });
    const answer = await api.call(key, 'POST', `${PATH}/${id}/replay`, { body: { after_sequence: 1 } });
    assert.deepEqual([answer.status, answer.json], [202, { count: 2 }]);
    await until(() => receiver.received.length === 2);
    const sequences = receiver.received.map(({ body }) => JSON.parse(body).sequence);
    assert.deepEqual(sequences.toSorted(), [2, 5]);
    const none = await api.call(key, 'POST', `${PATH}/${id}/replay`, { body: { after_sequence: 5 } });
    assert.deepEqual(none.json, { count: 0 });
  });

  it('delivers one event again, with the same id and bytes', async () => {
    const { key, principal } = api.key();
    const receiver = await receive();
    const { id } = await create(key, { url: receiver.url });
    await harness.record(1, { accountId: principal.accountId });
    const first = await until(() => receiver.received[0]);
    const event_id = first.headers['webhook-id'];
    await until(async () => (await api.call(key, 'GET', `${PATH}/${id}/attempts`)).json.data.length === 1);
    const answer = await api.call(key, 'POST', `${PATH}/${id}/replay`, { body: { event_id } });
    assert.deepEqual([answer.status, answer.json], [202, { count: 1 }]);
    const second = await until(() => receiver.received[1]);
    assert.deepEqual([second.headers['webhook-id'], second.body], [event_id, first.body]);
  });

  it('of more events than one commit holds counts them all', async () => {
    const { key, principal } = api.key();
    await harness.record(1_001, { accountId: principal.accountId });
    const { id } = await create(key);
    await api.call(key, 'PATCH', `${PATH}/${id}`, { body: { enabled: false } });
    const answer = await api.call(key, 'POST', `${PATH}/${id}/replay`, { body: { after_sequence: 0 } });
    assert.deepEqual(answer.json, { count: 1_001 });
    const again = await api.call(key, 'POST', `${PATH}/${id}/replay`, { body: { after_sequence: 0 } });
    assert.deepEqual(again.json, { count: 1_001 });
    const audited = await harness.database.query(
      "select 1 from audit where account_id = $1 and action = 'endpoint.replayed'",
      [principal.accountId],
    );
    assert.equal(audited.length, 2, 'each call is in the audit log once, in however many commits it was carried out');
    const uuid = await uuidOf(id, principal.accountId);
    const [row] = await harness.database.query<{ count: number }>(
      'select count(*) as count from delivery where endpoint_id = $1',
      [uuid],
    );
    assert.equal(row?.count, 1_001);
  });

  it('names exactly one of the two, and something that is there', async () => {
    const { key } = api.key();
    const { id } = await create(key);
    const unknown = formatId('evt', newId());
    for (const body of [{}, { after_sequence: 0, event_id: unknown }, { after_sequence: -1 }, { after_sequence: '0' }])
      assert.equal((await api.call(key, 'POST', `${PATH}/${id}/replay`, { body })).status, 422);
    for (const event_id of [unknown, 'nonsense'])
      assert.equal((await api.call(key, 'POST', `${PATH}/${id}/replay`, { body: { event_id } })).status, 404);
    const other = newId();
    await harness.record(1, { accountId: other });
    const [row] = await harness.database.query<{ id: string }>('select id from event where account_id = $1', [other]);
    const event_id = formatId('evt', row?.id ?? '');
    assert.equal((await api.call(key, 'POST', `${PATH}/${id}/replay`, { body: { event_id } })).status, 404);
  });
});

describe('a check of a signature', () => {
  it('passes what was sent, and tells what was changed about it', async () => {
    const { key, principal } = api.key();
    const receiver = await receive();
    const { id, secret } = await create(key, { url: receiver.url });
    await harness.record(1, { accountId: principal.accountId });
    const { body, headers } = await until(() => receiver.received[0]);
    const check = async (given: object) => {
      const answer = await api.call(key, 'POST', `${PATH}/${id}/check-signature`, {
        body: { headers, body, ...given },
      });
      assert.equal(answer.status, 200);
      assert.doesNotMatch(answer.text, /whsec_[A-Za-z0-9+/]/);
      assert.ok(!answer.text.includes(secret.slice(6, 16)), 'the secret is not told');
      return answer.json;
    };
    assert.deepEqual(await check({}), { valid: true, problems: [] });
    const rewritten = await check({ body: JSON.stringify(JSON.parse(body), null, 2) });
    assert.deepEqual([rewritten.valid, rewritten.problems[0].code], [false, 'body_changed']);
    assert.match(rewritten.problems[0].detail, /parsed and written again/);
    const { account_id, ...rest } = JSON.parse(body);
    assert.match((await check({ body: JSON.stringify({ account_id, ...rest }) })).problems[0].detail, /written again/);
    assert.match(
      (await check({ body: body.replace('msg_1', 'msg_2') })).problems[0].detail,
      /not the body that was sent/,
    );
    await api.call(key, 'POST', `${PATH}/${id}/rotate-secret`);
    assert.deepEqual(await check({}), { valid: true, problems: [] });
    await harness.database.query('update endpoint set previous_expires_at = now() where account_id = $1', [
      principal.accountId,
    ]);
    assert.equal((await check({})).problems[0].code, 'previous_secret');
  });

  it('knows the secret before the last rotation, also if that had no overlap', async () => {
    const { key, principal } = api.key();
    const receiver = await receive();
    const { id } = await create(key, { url: receiver.url });
    await harness.record(1, { accountId: principal.accountId });
    const { body, headers } = await until(() => receiver.received[0]);
    await api.call(key, 'POST', `${PATH}/${id}/rotate-secret`, { body: { overlap_seconds: 0 } });
    const { json } = await api.call(key, 'POST', `${PATH}/${id}/check-signature`, { body: { headers, body } });
    assert.deepEqual([json.valid, json.problems[0].code], [false, 'previous_secret']);
  });

  it('waits for its turn again to look for what was changed in a large body, and leaves the thread to others meanwhile', async () => {
    const { key } = api.key();
    const { id } = await create(key);
    const members = Array.from({ length: 30_000 }, (_, place) => [`name${place}`, '']);
    const headers = { 'webhook-id': 'a', 'webhook-timestamp': '1', 'webhook-signature': `v1,${'A'.repeat(43)}=` };
    const body = JSON.stringify({ headers, body: JSON.stringify(Object.fromEntries(members)) });
    const check = () => api.call(key, 'POST', `${PATH}/${id}/check-signature`, { body });
    const busyPart = async () => {
      const begun = performance.eventLoopUtilization();
      for (const { json } of await Promise.all([check(), check(), check(), check()]))
        assert.equal(json.problems.at(-1).code, 'signature_mismatch');
      return performance.eventLoopUtilization(begun).utilization;
    };
    // A third of the time, and some for the bytes as they come. Without turns it would be all of it, however often it is tried.
    const partMax = 0.8;
    const quietest = await least(partMax, busyPart);
    assert.ok(quietest < partMax, `${quietest} of the time`);
  });

  it('needs headers and a body of the right kind', async () => {
    const { key } = api.key();
    const { id } = await create(key);
    for (const body of [
      {},
      { headers: {} },
      { headers: [], body: '' },
      { headers: { a: 1 }, body: '' },
      { headers: {}, body: {} },
    ])
      assert.equal((await api.call(key, 'POST', `${PATH}/${id}/check-signature`, { body })).status, 422);
  });
});
