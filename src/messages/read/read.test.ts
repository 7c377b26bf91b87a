import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { lineOf, messagesBody, postAndApply, statusOf } from '../../../test/support/notifications.ts';
import { assertProblem } from '../../../test/support/problem.ts';
import { until } from '../../../test/support/until.ts';
import { countWaitingForLocks } from '../../../test/support/waiting-for-locks.ts';
import { parseId } from '../../kernel/ids.ts';

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway({ sandbox: { statuses: 'off' } });
});
after(() => gateway.stop());

const get = (path: string, key = gateway.testKey) => gateway.call('GET', path, { key });
async function send(body: object) {
  const { json } = await gateway.call('POST', '/api/v1/messages/send', { body });
  return json;
}

const TEXT = { type: 'text', text: { body: 'Hello' } };
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe('a message that is read', () => {
  it('has every member, and null where there is no value', async () => {
    const sent = await send({ to: '+447700900501', ...TEXT });
    const channel = (await get('/api/v1/channels')).json.data[0];
    const { status, json } = await get(`/api/v1/messages/${sent.results[0].id}`);
    assert.equal(status, 200);
    for (const time of [json.created_at, json.updated_at, json.timeline[0].at]) assert.match(time, TIME);
    assert.ok(json.created_at <= json.updated_at);
    const { at } = json.timeline[0];
    assert.deepEqual(json, {
      id: sent.results[0].id,
      request_id: sent.request_id,
      account_id: gateway.accountId,
      channel_id: channel.id,
      direction: 'outbound',
      from: channel.phone_number,
      to: '+447700900501',
      user_id: null,
      type: 'text',
      text: { body: 'Hello', preview_url: false },
      reply_to: null,
      status: 'accepted',
      message_id: sent.results[0].message_id,
      client_reference: null,
      held: false,
      error: null,
      pricing: null,
      created_at: json.created_at,
      updated_at: json.updated_at,
      timeline: [{ status: 'accepted', at, received_at: at, note: null, error: null }],
    });
  });

  it('tells when it was changed, and that its content has expired where its request is gone before it', async () => {
    const sent = await send({ to: '+447700900501', ...TEXT });
    const read = async () => (await get(`/api/v1/messages/${sent.results[0].id}`)).json;
    const before = await read();
    await gateway.database.query(
      "update message set updated_at = updated_at + interval '1 hour' where provider_message_id = $1",
      [before.message_id],
    );
    assert.equal(Date.parse((await read()).updated_at), Date.parse(before.updated_at) + 3_600_000);
    assert.equal(before.content_expired, undefined);
    await gateway.database.query('delete from request where $1 = any(message_ids)', [parseId('msg', before.id)]);
    const { text, content_expired: expired } = await read();
    assert.deepEqual([text, expired], [null, true]);
  });

  it('of a person who is known by an id has that and no number', async () => {
    const user_id = 'GB.13491208655302741918';
    const sent = await send({ to: [{ user_id, client_reference: 'mine' }], ...TEXT });
    const { json } = await get(`/api/v1/messages/${sent.results[0].id}`);
    assert.deepEqual([json.to, json.user_id, json.client_reference], [null, user_id, 'mine']);
  });

  it('tells why it failed, now and in its timeline', async () => {
    const sent = await send({ to: '+15550131026', ...TEXT });
    const { json } = await get(`/api/v1/messages/${sent.results[0].id}`);
    assert.deepEqual(json.error, sent.results[0].error);
    assert.deepEqual([json.status, json.timeline[0].status, json.timeline[0].error], ['failed', 'failed', json.error]);
  });

  it("of a template has the recipient's own components", async () => {
    const components = (text: string) => [{ type: 'body', parameters: [{ type: 'text', text }] }];
    const template = { name: 'order_update', language: { code: 'en_US' }, components: components('Ada') };
    const to = ['+447700900502', { to: '+447700900503', components: components('Grace') }];
    const sent = await send({ to, type: 'template', template });
    const [shared, own] = await Promise.all(
      sent.results.map(async ({ id }: { id: string }) => (await get(`/api/v1/messages/${id}`)).json.template),
    );
    assert.deepEqual(shared, { ...template, language: 'en_US' });
    assert.deepEqual(own, { ...template, language: 'en_US', components: components('Grace') });
  });

  it('agrees with its timeline also in the moment in which it changes', async () => {
    const { id } = (await send({ to: '+447700900506', ...TEXT })).results[0];
    const uuid = parseId('msg', id);
    const { database } = gateway;
    const { answer } = await database.transaction(async (tx) => {
      await tx.query('lock table timeline in access exclusive mode');
      const reading = get(`/api/v1/messages/${id}`);
      await until(async () => (await countWaitingForLocks(database)) > 0);
      await tx.query("update message set status = 'delivered' where id = $1", [uuid]);
      await tx.query(
        `insert into timeline (account_id, message_id, id, status, at, received_at)
         values ($1, $2, $2, 'delivered', now(), now())`,
        [gateway.accountId, uuid],
      );
      return { answer: reading };
    });
    const { json } = await answer;
    assert.deepEqual([json.status, json.timeline.at(-1).status], ['delivered', 'delivered']);
  });

  it('with a long timeline has all of it, and is read when its account reads nothing else that may take long', async () => {
    const { results } = await send({ to: ['+447700900507', '+447700900508'], ...TEXT });
    const [long, short] = results.map(({ id }: { id: string }) => `/api/v1/messages/${id}`);
    const { database } = gateway;
    await database.query(
      `insert into timeline (account_id, message_id, id, status, at, received_at, note)
       select $1, $2, gen_random_uuid(), 'read', now(), now(), 'duplicate' from generate_series(1, 501)`,
      [gateway.accountId, parseId('msg', results[0].id)],
    );
    let isRead = false;
    const { answer } = await database.transaction(async (tx) => {
      await tx.query('lock table message_statistics in access exclusive mode');
      const other = get('/api/v1/statistics');
      await until(async () => (await countWaitingForLocks(database)) > 0);
      const reading = get(long).finally(() => {
        isRead = true;
      });
      for (let times = 0; times < 20; times++) assert.equal((await get(short)).status, 200);
      assert.equal(isRead, false);
      return { answer: Promise.all([other, reading]) };
    });
    const [other, { json }] = await answer;
    assert.deepEqual([other.status, json.timeline.length], [200, 502]);
  });

  it('is not found by anything but its id, by another account or in another mode', async () => {
    const sent = await send({ to: '+447700900504', ...TEXT });
    const { id, message_id } = sent.results[0];
    const others = [
      await gateway.createKey({ mode: 'live' }),
      await gateway.createKey({ accountId: await gateway.createAccount('Other') }),
    ];
    for (const key of others) {
      assertProblem(await get(`/api/v1/messages/${id}`, key), 'not_found');
      assertProblem(await get(`/api/v1/requests/${sent.request_id}`, key), 'not_found');
      assert.deepEqual((await get('/api/v1/messages', key)).json, { data: [], next_cursor: null });
    }
    const strange = [
      id.toUpperCase(),
      id.slice(0, -1),
      `${id}0`,
      id.replace('msg_', 'req_'),
      id.slice(4),
      message_id,
      'msg_00000000000000000000000000',
      'msg_00000000000000000000000001',
      'msg_7zzzzzzzzzzzzzzzzzzzzzzzzz',
      'msg_8zzzzzzzzzzzzzzzzzzzzzzzzz',
      '%00',
      "'",
    ];
    for (const text of strange) {
      assertProblem(await get(`/api/v1/messages/${text}`), 'not_found');
      assertProblem(await get(`/api/v1/requests/${text}`), 'not_found');
    }
  });
});

describe('a request that is read', () => {
  it('is the answer as it would be given now', async () => {
    const sent = await send({
      to: ['+447700900505', 'x', '+15550131049', '+447700900505', { to: '+447700900506', client_reference: 'own' }],
      ...TEXT,
      client_reference: 'all',
    });
    const { status, json } = await get(`/api/v1/requests/${sent.request_id}`);
    assert.equal(status, 200);
    const { pending_count, created_at, completed_at, ...answer } = json;
    assert.deepEqual(answer, sent);
    assert.equal(pending_count, 0);
    assert.match(created_at, TIME);
    assert.ok(completed_at >= created_at);
  });

  it('counts what has gone further as accepted, and is the same answer when the provider has told who the person is', async () => {
    const sent = await send({ to: ['+447700900507', '+447700900508', '+447700900509'], ...TEXT });
    const told = ['sent', 'delivered', 'read'].map((status, place) =>
      statusOf(status, { providerId: sent.results[place].message_id, recipient_user_id: `GB.271828182${place}` }),
    );
    await postAndApply(gateway, messagesBody(await lineOf(gateway), { statuses: told }));
    const { json: message } = await get(`/api/v1/messages/${sent.results[2].id}`);
    assert.deepEqual([message.status, message.user_id], ['read', 'GB.2718281822']);
    const { json } = await get(`/api/v1/requests/${sent.request_id}`);
    assert.deepEqual(json.results, sent.results);
    assert.equal(json.accepted_count, 3);
  });

  it('has ended also where a later version has taken a message to a status that only it knows', async () => {
    const sent = await send({ to: ['+447700900510', '+447700900511'], ...TEXT });
    await gateway.database.query("alter type message_status add value 'played'");
    const id = parseId('msg', sent.results[0].id);
    await gateway.database.query("update message set status = 'played' where id = $1", [id]);
    const { json } = await get(`/api/v1/requests/${sent.request_id}`);
    assert.deepEqual([json.results, json.accepted_count, json.pending_count], [sent.results, 2, 0]);
  });
});
