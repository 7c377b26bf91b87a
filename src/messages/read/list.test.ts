import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { addChannel, asSandbox, lineOf, messagesBody, postSigned } from '../../../test/support/notifications.ts';
import { until } from '../../../test/support/until.ts';

const MESSAGES = 120;

let gateway: TestGateway;
/** All ids, oldest first. */
let ids: string[];
let requestIds: string[];
let messageId: string;

before(async () => {
  gateway = await startTestGateway({ sandbox: { statuses: 'off' } });
  const numbers = Array.from({ length: MESSAGES }, (_, place) => `+4477009${String(10_000 + place)}`);
  const answers = [];
  for (const part of [numbers.slice(0, 50), numbers.slice(50, 100), numbers.slice(100)])
    answers.push(await send({ to: part, client_reference: `part-${part.length}` }));
  answers.push(await send({ to: ['+15550131026', { user_id: 'GB.1349', client_reference: 'of-an-id' }] }));
  ids = answers.flatMap(({ results }) => results.map(({ id }: { id: string }) => id));
  requestIds = answers.map(({ request_id }) => request_id);
  messageId = answers[0].results[0].message_id;
});
after(() => gateway.stop());

async function send(body: object) {
  const whole = { type: 'text', text: { body: 'Hello' }, ...body };
  return (await gateway.call('POST', '/api/v1/messages/send', { body: whole })).json;
}

async function list(query: string) {
  const { status, json, text } = await gateway.call('GET', `/api/v1/messages${query}`);
  assert.equal(status, 200, text);
  return json;
}

const omitTimeline = ({ timeline: _, ...message }: Record<string, unknown>) => message;

const idsOf = async (query: string): Promise<string[]> => (await list(query)).data.map(({ id }: { id: string }) => id);

describe('the list of messages', () => {
  it('has every message once, newest first, page by page', async () => {
    for (const limit of [1, 7, 50, 61, 100]) {
      const found: string[] = [];
      let query = `?limit=${limit}`;
      for (;;) {
        const { data, next_cursor: cursor } = await list(query);
        assert.ok(data.length <= limit && data.length > 0);
        found.push(...data.map(({ id }: { id: string }) => id));
        if (cursor === null) break;
        assert.equal(data.length, limit);
        query = `?limit=${limit}&cursor=${cursor}`;
      }
      assert.deepEqual(found, ids.toReversed(), `pages of ${limit}`);
    }
  });

  it('has pages of 50 by default, and no page after the last message', async () => {
    const { data, next_cursor: cursor } = await list('');
    assert.equal(data.length, 50);
    assert.equal(typeof cursor, 'string');
    assert.equal((await list(`?limit=61&since=2020-01-01T00:00:00Z&cursor=${cursor}`)).data.length, 61);
    const exact = await list('?client_reference=part-50&limit=100');
    assert.deepEqual([exact.data.length, exact.next_cursor], [100, null]);
  });

  it('has whole messages, without their timelines', async () => {
    const [newest] = (await list('?limit=1')).data;
    const { json } = await gateway.call('GET', `/api/v1/messages/${newest.id}`);
    assert.deepEqual(newest, omitTimeline(json));
    assert.equal(json.timeline.length, 1);
  });

  it('is narrowed by request, reference, recipient, provider id, status and direction', async () => {
    const newestFirst = ids.toReversed();
    assert.deepEqual(await idsOf(`?request_id=${requestIds[2]}`), newestFirst.slice(2, 22));
    assert.deepEqual(await idsOf('?client_reference=of-an-id'), newestFirst.slice(0, 1));
    assert.deepEqual(await idsOf('?to=GB.1349'), newestFirst.slice(0, 1));
    assert.deepEqual(await idsOf('?to=%2B447700910000'), ids.slice(0, 1));
    assert.deepEqual(await idsOf('?to=+447700910000'), ids.slice(0, 1), 'a plus that nobody escaped');
    assert.deepEqual(await idsOf('?to=%20447700910000'), ids.slice(0, 1));
    for (const written of ['%2B44%207700-910000', '%20%2B447700910000', '+44+7700+910000'])
      assert.deepEqual(await idsOf(`?to=${written}`), ids.slice(0, 1), 'however it is written');
    assert.deepEqual(await idsOf(`?message_id=${encodeURIComponent(messageId)}`), ids.slice(0, 1));
    assert.deepEqual(await idsOf('?status=failed'), newestFirst.slice(1, 2));
    assert.equal((await idsOf('?direction=outbound&limit=100')).length, 100);
    assert.deepEqual(await idsOf(`?status=accepted&request_id=${requestIds[3]}`), newestFirst.slice(0, 1));
  });

  it('has the messages to a number of our own too, together with those that people wrote to it', async () => {
    const accountId = await gateway.createAccount('Writes to itself');
    const key = await gateway.createKey({ accountId });
    const first = await lineOf(gateway, accountId);
    const own = { phoneNumberId: '7778', businessAccountId: '2001', phoneNumber: '+447700900999' };
    await addChannel(gateway, { ...own, accountId, mode: 'test' });
    const get = async (query: string) => (await gateway.call('GET', `/api/v1/messages${query}`, { key })).json;
    const write = async (recipient = own.phoneNumber) => {
      const body = { to: recipient, from: first.phoneNumber, type: 'text', text: { body: 'Hello' } };
      return (await gateway.call('POST', '/api/v1/messages/send', { key, body })).json.results[0].id;
    };
    const hear = async (id: string, line = own) => {
      const message = {
        id,
        from: '447700900123',
        from_user_id: 'GB.1234',
        timestamp: '1700000000',
        type: 'text',
        text: { body: 'Hello' },
      };
      await postSigned(asSandbox(gateway), messagesBody(line, { messages: [message] }));
      return until(async () => {
        const [found] = (await get(`?message_id=${id}`)).data;
        return found?.id;
      });
    };
    const sent = [await write(), await hear('wamid.1'), await write(), await hear('wamid.2'), await write()];
    await hear('wamid.3', first);
    const away = { to: '+447700900124', from: own.phoneNumber, type: 'text', text: { body: 'Hello' } };
    const [{ message_id: sentAway }] = (await gateway.call('POST', '/api/v1/messages/send', { key, body: away })).json
      .results;
    const to = `?to=${encodeURIComponent(own.phoneNumber)}`;
    const idsIn = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);
    assert.deepEqual(idsIn(await get(to)), sent.toReversed());
    const page = await get(`${to}&limit=2`);
    assert.deepEqual(idsIn(page), sent.toReversed().slice(0, 2));
    assert.deepEqual(idsIn(await get(`${to}&limit=3&cursor=${page.next_cursor}`)), sent.toReversed().slice(2));
    assert.deepEqual(idsIn(await get(`${to}&direction=inbound`)), [sent[3], sent[1]]);
    assert.deepEqual(idsIn(await get(`${to}&message_id=${encodeURIComponent(sentAway)}`)), [], 'what went out from it');
    for (const writer of ['%2B447700900123', 'GB.1234'])
      assert.deepEqual(idsIn(await get(`?to=${writer}`)), [], 'what a person wrote went to nobody else');
    const person = '?person=%2B447700900123';
    const heard = idsIn(await get(`${person}&direction=inbound`));
    assert.deepEqual(heard.slice(1), [sent[3], sent[1]], 'what a person wrote to any of our numbers');
    assert.deepEqual(idsIn(await get('?person=GB.1234')), heard);
    assert.deepEqual(idsIn(await get(`${person}&to=${encodeURIComponent(own.phoneNumber)}`)), heard.slice(1));
    const answer = await write('+447700900123');
    assert.deepEqual(idsIn(await get(person)), [answer, ...heard], 'both sides of the conversation');
    for (const one of ['direction=outbound', 'to=%2B447700900123', 'status=accepted'])
      assert.deepEqual(idsIn(await get(`${person}&${one}`)), [answer], one);
    for (const other of ['to=%2B447700900124', 'to=%2B447700900123&direction=inbound', 'to=GB.1234', 'status=failed'])
      assert.deepEqual(idsIn(await get(`${person}&${other}`)), [], other);
    await gateway.database.query("update channel set status = 'removed' where phone_number = $1", [own.phoneNumber]);
    assert.deepEqual(idsIn(await get(to)), sent.toReversed(), 'a removed channel keeps what was written to it');
  });

  it('is empty where nothing fits', async () => {
    const nothing = [
      'direction=inbound',
      'status=read',
      'message_id=wamid.none',
      'client_reference=part',
      'to=447700910000',
      'person=447700910000',
    ];
    for (const query of [...nothing, `request_id=${ids[0]}`, 'request_id=x', 'since=2999-01-01T00:00:00Z'])
      assert.deepEqual(await list(`?${query}`), { data: [], next_cursor: null }, query);
  });

  it('begins with a time, in every form that RFC 3339 has', async () => {
    const { json } = await gateway.call('GET', `/api/v1/messages/${ids[100]}`);
    const atMs = Date.parse(json.created_at);
    const from = (await idsOf(`?limit=100&since=${json.created_at}`)).length;
    assert.ok(from >= MESSAGES + 2 - 100 && from <= 100, String(from));
    const later = new Date(atMs + 3_600_000).toISOString().replace('Z', '+01:00');
    for (const written of [later.replace('+', '%2B'), later, later.replace('T', '%20')])
      assert.equal((await idsOf(`?limit=100&since=${written}`)).length, from, 'also with a plus that nobody escaped');
    assert.equal((await idsOf(`?limit=100&since=${json.created_at.toLowerCase()}`)).length, from);
    assert.deepEqual(await idsOf(`?since=${new Date(Date.now() + 60_000).toISOString()}`), []);
  });
});

const TEMPLATE = { name: 'order_update', language: 'en_US' };

/** What is of a kind that we do not know is the provider's affair, and passed on. */
const components = (letters: number) => [
  { type: 'body', parameters: [{ type: 'text', text: 'Ada' }] },
  { type: 'new', it: 'y'.repeat(letters) },
];

it('a page of messages ends where their contents have 1 MiB, and the next one goes on there', async () => {
  const accountId = await gateway.createAccount('Large contents');
  const key = await gateway.createKey({ accountId });
  const write = async (to: unknown[], template: object = TEMPLATE): Promise<string[]> => {
    const body = { to, type: 'template', template };
    const { json } = await gateway.call('POST', '/api/v1/messages/send', { key, body });
    return json.results.map(({ id }: { id: string }) => id);
  };
  const sent = [
    ...(await write(['+447700910001', '+447700910002'].map((to) => ({ to, components: components(500_000) })))),
    ...(await write(['+447700910003', '+447700910004'], { ...TEMPLATE, components: components(600_000) })),
    ...(await write(['+447700910005', '+447700910006'], { ...TEMPLATE, components: components(2) })),
    // Read for a message that has its own, and not shown.
    ...(await write([{ to: '+447700910007', components: components(2) }], {
      ...TEMPLATE,
      components: components(900_000),
    })),
    ...(await write([{ to: '+447700910008', components: components(2) }], {
      ...TEMPLATE,
      components: components(900_000),
    })),
    // More than a page has, since the database keeps a number in more bytes than a body needs for it. It is a page of its own.
    ...(await write(['+447700910009'], {
      ...TEMPLATE,
      components: [...components(2), { type: 'new', it: Array(150_000).fill(1) }],
    })),
  ];
  const pages: string[][] = [];
  for (let cursor = ''; cursor !== 'null'; ) {
    const { json } = await gateway.call('GET', `/api/v1/messages?limit=5${cursor && `&cursor=${cursor}`}`, { key });
    for (const message of json.data) {
      const whole = (await gateway.call('GET', `/api/v1/messages/${message.id}`, { key })).json;
      assert.deepEqual({ ...message, timeline: whole.timeline }, whole);
    }
    pages.push(json.data.map(({ id }: { id: string }) => id));
    cursor = String(json.next_cursor);
  }
  assert.deepEqual(pages.flat(), sent.toReversed());
  assert.deepEqual(
    pages.map(({ length }) => length),
    [1, 1, 3, 1, 1, 2],
  );
});
