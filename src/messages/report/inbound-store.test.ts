import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { meetLock } from '../../../test/support/meet-lock.ts';
import {
  addChannel,
  isProcessed,
  lineOf,
  listNotifications,
  messagesBody,
  packTogether,
  postAndApply,
  readMessage,
  sendOne,
  statusOf,
  type TestLine,
  textFrom,
} from '../../../test/support/notifications.ts';
import { until } from '../../../test/support/until.ts';
import { newId } from '../../kernel/ids.ts';
import { effectsRememberedDays } from '../../kernel/keep.ts';
import { expireInboundIds } from './inbound-store.ts';

const PHONE = '+447700900123';
const CONTENT: Record<string, unknown> = {
  text: { body: 'Grüße \u{1F600} \u0000' },
  image: { id: '1', mime_type: 'image/jpeg', sha256: 'x', caption: 'Roof' },
  audio: { id: '1', voice: true },
  video: { id: '1' },
  document: { id: '1', filename: 'a.pdf' },
  sticker: { id: '1', animated: false },
  location: { latitude: 51.5, longitude: -0.1 },
  contacts: [{ name: { formatted_name: 'Ada' } }],
  interactive: { type: 'button_reply', button_reply: { id: '1', title: 'Yes' } },
  button: { text: 'Yes', payload: 'YES' },
  order: { catalog_id: '1', product_items: [] },
  reaction: { message_id: 'wamid.X', emoji: '\u{1F44D}' },
  system: { type: 'user_changed_number', body: 'changed' },
  request_welcome: {},
  unsupported: { type: 'poll' },
  edit: { original_message_id: 'wamid.X' },
  revoke: { original_message_id: 'wamid.X' },
};

describe('an inbound message', () => {
  let gateway: TestGateway;
  let line: TestLine;
  before(async () => {
    gateway = await startTestGateway({ sandbox: { statuses: 'off' } });
    line = await lineOf(gateway);
  });
  after(() => gateway.stop());

  const post = (value: object) => postAndApply(gateway, messagesBody(line, value));
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on every member that it reads.
  const list = async (query: string): Promise<any[]> =>
    (await gateway.call('GET', `/api/v1/messages?limit=100&${query}`)).json.data;
  const received = async (id: string) => {
    const [listed] = await list(`message_id=${id}`);
    return readMessage(gateway, listed.id);
  };

  it('is claimed in one order, so that two nodes that are told of the same ones do not wait in a circle', async () => {
    const [first, second] = ['wamid.order.1', 'wamid.order.2'];
    const claim = `insert into inbound_id (account_id, channel_id, provider_message_id, message_id)
      select account_id, id, $2, $3 from channel where phone_number_id = $1`;
    await meetLock(gateway.database, {
      hold: (tx) => tx.query(claim, [line.phoneNumberId, first, newId()]),
      work: () => post({ messages: [textFrom(PHONE, second), textFrom(PHONE, first)] }),
      meanwhile: async (tx) => {
        // Less than until the server looks for a circle, so that it is this one that gives up.
        await tx.query("set local lock_timeout to '1s'");
        await tx.query(claim, [line.phoneNumberId, second, newId()]);
      },
    });
    assert.deepEqual([...(await list(`message_id=${first}`)), ...(await list(`message_id=${second}`))], []);
  });

  it('tells when its notification came, also where that was applied later', async () => {
    const before = { ...line, phoneNumberId: '900000000000031', phoneNumber: '+447700900931' };
    const body = messagesBody(before, { messages: [textFrom(PHONE, 'wamid.reprocessed')] });
    await postAndApply(gateway, body);
    const [setAside] = await listNotifications(gateway, '&state=set_aside');
    await addChannel(gateway, { ...before, accountId: gateway.accountId, mode: 'test' });
    const path = `/platform/v1/notifications/${setAside?.id}/reprocess`;
    assert.equal((await gateway.call('POST', path, { key: gateway.platformKey })).status, 202);
    await until(async () => (await list('message_id=wamid.reprocessed')).length === 1);
    const { timeline, created_at: createdAt } = await received('wamid.reprocessed');
    assert.equal(timeline[0].received_at, setAside?.received_at);
    assert.ok(createdAt > timeline[0].received_at, createdAt);
  });

  it('of every type is read with its content in the member of that name', async () => {
    const messages = Object.entries(CONTENT).map(([type, content]) => ({
      from: PHONE.slice(1),
      id: `wamid.type.${type}`,
      timestamp: '1767225600',
      type,
      [type]: content,
    }));
    await post({ messages });
    for (const [type, content] of Object.entries(CONTENT)) {
      const message = await received(`wamid.type.${type}`);
      assert.deepEqual([message.direction, message.type, message.status], ['inbound', type, 'received']);
      assert.deepEqual([message.from, message.to, message.request_id], [PHONE, line.phoneNumber, null]);
      // What no database stores is replaced.
      assert.deepEqual(message[type], JSON.parse(JSON.stringify(content).replaceAll('\\u0000', '\uFFFD')));
      assert.deepEqual(message.timeline.length, 1);
      const [{ status, at, note, error }] = message.timeline;
      assert.deepEqual([status, at, note, error], ['received', '2026-01-01T00:00:00.000Z', null, null]);
    }
  });

  it('is recorded once for as long as its repetition may be set aside and reprocessed', async () => {
    const repeat = () => post({ messages: [textFrom(PHONE, 'wamid.repeated')] });
    const age = (days: number) =>
      gateway.database.query('update inbound_id set created_at = now() - make_interval(days => $1)', [days]);
    await repeat();
    const days = effectsRememberedDays({ messages: 90, content: 30, events: 30, notifications: 7, setAside: 30 });
    await age(days - 1);
    assert.equal(await expireInboundIds(gateway.database, days), 0);
    await repeat();
    assert.equal((await list('message_id=wamid.repeated')).length, 1);
    assert.deepEqual(await listNotifications(gateway, '&state=set_aside'), []);
    await age(days);
    assert.ok((await expireInboundIds(gateway.database, days)) > 0);
  });

  it('of a type that is named like a member or like nothing we know is kept whole and hides nothing', async () => {
    const names = [
      'id',
      'status',
      'timeline',
      'error',
      'content',
      '__proto__',
      'constructor',
      'poll',
      'x y',
      'toString',
    ];
    const messages = names.map((type, place) => ({ ...textFrom(PHONE, `wamid.name.${place}`), type }));
    await post({ messages });
    for (const [place, type] of names.entries()) {
      const message = await received(`wamid.name.${place}`);
      assert.match(message.id, /^msg_/);
      assert.deepEqual([message.type, message.status, message.error], [type, 'received', null]);
      const member = ['id', 'status', 'timeline', 'error'].includes(type) ? 'content' : type;
      assert.equal(Object.getOwnPropertyDescriptor(message, member)?.value?.text?.body, 'Hello', type);
    }
  });

  it('that has not the form described for its type is shown as it came under `content`, in events too', async () => {
    const strange: [string, unknown][] = [
      ['text', 'Hello'],
      ['text', ['Hello']],
      ['text', 7],
      ['text', { body: 7, more: 'x' }],
      ['text', { body: 'Hello', preview_url: 'yes' }],
    ];
    const messages = [
      ...strange.map(([type, content], place) => ({
        ...textFrom(PHONE, `wamid.strange.${place}`),
        type,
        text: content,
      })),
      { ...textFrom(PHONE, 'wamid.strange.template'), type: 'template' },
    ];
    await post({ messages });
    const events = (await gateway.call('GET', '/api/v1/events?type=message.received&limit=100')).json.data;
    for (const [place, [type, content]] of strange.entries()) {
      const message = await received(`wamid.strange.${place}`);
      assert.deepEqual([message.type, message.content, 'text' in message], [type, content, false]);
      const told = events.find((event: { data: { message: { id: string } } }) => event.data.message.id === message.id);
      assert.deepEqual([told.data.message.content, 'text' in told.data.message], [content, false]);
    }
    const template = await received('wamid.strange.template');
    assert.deepEqual([template.content.text.body, 'template' in template], ['Hello', false]);
  });

  it('has a whole number of any length in its content as a number with all its digits, in events too', async () => {
    const order = { product_items: [{ item_price: 'NUMBER' }] };
    const message = { ...textFrom(PHONE, 'wamid.long.number'), type: 'order', order };
    const body = JSON.stringify(messagesBody(line, { messages: [message] }));
    await postAndApply(gateway, body.replace('"NUMBER"', '12345678901234567'));
    const { id } = await received('wamid.long.number');
    for (const path of [
      `messages/${id}`,
      'messages?message_id=wamid.long.number',
      'events?type=message.received&limit=100',
    ])
      assert.match((await gateway.call('GET', `/api/v1/${path}`)).text, /"item_price": ?12345678901234567\b/, path);
  });

  it('has in its content what the provider could not hand over, as it told it', async () => {
    const errors = [{ code: 131052, title: 'Media download error', error_data: { details: 'Gone' } }];
    const from = (id: string, type: string, more: object) => ({
      ...textFrom(PHONE, id),
      text: undefined,
      type,
      errors,
      ...more,
    });
    await post({
      messages: [
        from('wamid.no-media', 'image', { image: { id: '1', mime_type: 'image/jpeg' } }),
        from('wamid.no-content', 'image', {}),
        from('wamid.a-list', 'contacts', { contacts: [{ name: { formatted_name: 'Ada' } }] }),
        from('wamid.no-errors', 'image', { image: { id: '2' }, errors: [] }),
      ],
    });
    const image = await received('wamid.no-media');
    assert.deepEqual(image.image, { id: '1', mime_type: 'image/jpeg', errors });
    assert.deepEqual([image.status, image.error], ['received', null]);
    assert.deepEqual((await received('wamid.no-content')).image.errors, errors, 'the whole message is the content');
    assert.deepEqual((await received('wamid.a-list')).contacts, [{ name: { formatted_name: 'Ada' } }]);
    assert.deepEqual((await received('wamid.no-errors')).image, { id: '2' });
  });

  it('that was written in a group has the id of the group in its content', async () => {
    await post({ messages: [textFrom(PHONE, 'wamid.in-group', { group_id: 'GROUP-EXAMPLE-1' })] });
    const message = await received('wamid.in-group');
    assert.deepEqual([message.from, message.text], [PHONE, { body: 'Hello', group_id: 'GROUP-EXAMPLE-1' }]);
  });

  it('has in its content what the provider tells beside it, in its event too', async () => {
    const referral = { source_type: 'ad', source_id: '120226305854810726', ctwa_clid: 'CLICK-EXAMPLE-1' };
    const product = { catalog_id: '1', product_retailer_id: '2' };
    const context = { id: 'wamid.OUR1', forwarded: true, frequently_forwarded: true, referred_product: product };
    await post({ messages: [textFrom(PHONE, 'wamid.from-ad', { referral, context })] });
    const text = { body: 'Hello', referral, forwarded: true, frequently_forwarded: true, referred_product: product };
    const message = await received('wamid.from-ad');
    assert.deepEqual([message.text, message.reply_to], [text, { id: null, message_id: 'wamid.OUR1' }]);
    const { data } = (await gateway.call('GET', '/api/v1/events?limit=100&type=message.received')).json;
    const told = data.find((event: { data: { message: { id: string } } }) => event.data.message.id === message.id);
    assert.deepEqual(told?.data.message.text, text);
  });

  it('tells what the person is called, in its event too, also if that and a user id is all that is told of the person', async () => {
    const profile = { name: 'Zoë Example', username: 'zoe.example' };
    const hidden = textFrom(PHONE, 'wamid.by-name', { from: undefined, from_user_id: 'GB.9' });
    await post({ contacts: [{ profile, user_id: 'GB.9' }], messages: [hidden] });
    const message = await received('wamid.by-name');
    const text = { body: 'Hello' };
    assert.deepEqual([message.from, message.user_id, message.profile, message.text], [null, 'GB.9', profile, text]);
    const { data } = (await gateway.call('GET', '/api/v1/events?limit=100&type=message.received')).json;
    const told = data.find((event: { data: { message: { id: string } } }) => event.data.message.id === message.id);
    assert.deepEqual([told?.data.message.profile, told?.data.message.text], [profile, text]);
  });

  it('is one message however often it comes, in one body, in several and at the same time', async () => {
    const message = textFrom(PHONE, 'wamid.once');
    await post({ messages: [message, message] });
    await Promise.all(Array.from({ length: 20 }, () => post({ messages: [message] })));
    assert.equal((await list('message_id=wamid.once')).length, 1);
  });

  it('with the id of one on another number is a message of its own', async () => {
    const other = await lineOf(gateway, await gateway.createAccount('Another account'));
    await post({ messages: [textFrom(PHONE, 'wamid.shared')] });
    const beside = { ...line, phoneNumberId: '5550198', phoneNumber: '+15550000198' };
    await addChannel(gateway, { ...beside, accountId: gateway.accountId, mode: 'test' });
    for (const number of [other, beside])
      await postAndApply(gateway, messagesBody(number, { messages: [textFrom(PHONE, 'wamid.shared')] }));
    const [row] = await gateway.database.query<{ count: number }>(
      `select count(*) as count from message where provider_message_id = 'wamid.shared'`,
    );
    assert.equal(row?.count, 3);
    assert.equal((await list('message_id=wamid.shared')).length, 2);
  });

  it('is linked to the message that it answers, ours or theirs', async () => {
    const sent = await sendOne(gateway);
    await post({
      messages: [textFrom(PHONE, 'wamid.answer', { context: { from: line.phoneNumber, id: sent.message_id } })],
    });
    const answer = await received('wamid.answer');
    assert.deepEqual(answer.reply_to, { id: sent.id, message_id: sent.message_id });
    await post({ messages: [textFrom(PHONE, 'wamid.again', { context: { id: 'wamid.answer' } })] });
    assert.deepEqual((await received('wamid.again')).reply_to, { id: answer.id, message_id: 'wamid.answer' });
    await post({ messages: [textFrom(PHONE, 'wamid.astray', { context: { id: 'wamid.nobody' } })] });
    assert.deepEqual((await received('wamid.astray')).reply_to, { id: null, message_id: 'wamid.nobody' });
    assert.equal((await readMessage(gateway, sent.id)).reply_to, null);
  });

  it('is linked also to a message whose provider id comes in the same body', async () => {
    const { id } = await sendOne(gateway, '+15552000001');
    await post({
      statuses: [statusOf('read', { providerId: 'wamid.settled', messageId: id })],
      messages: [textFrom(PHONE, 'wamid.quick', { context: { id: 'wamid.settled' } })],
    });
    assert.deepEqual((await received('wamid.quick')).reply_to, { id, message_id: 'wamid.settled' });
  });

  it("is linked also to a message whose provider's id is known only later, but in its event", async () => {
    const { id } = await sendOne(gateway, '+15552000001');
    await post({ messages: [textFrom(PHONE, 'wamid.quicker', { context: { id: 'wamid.told-later' } })] });
    assert.deepEqual((await received('wamid.quicker')).reply_to, { id: null, message_id: 'wamid.told-later' });
    const other = await lineOf(gateway, await gateway.createAccount('With the same id'));
    await postAndApply(gateway, messagesBody(other, { messages: [textFrom(PHONE, 'wamid.told-later')] }));
    assert.equal((await received('wamid.quicker')).reply_to.id, null, 'that is of another number');
    await post({ statuses: [statusOf('sent', { providerId: 'wamid.told-later', messageId: id })] });
    const linked = { id, message_id: 'wamid.told-later' };
    assert.deepEqual((await received('wamid.quicker')).reply_to, linked);
    assert.deepEqual((await list('message_id=wamid.quicker'))[0].reply_to, linked);
    const { data } = (await gateway.call('GET', '/api/v1/events?limit=100&type=message.received')).json;
    const told = data.map((event: { data: { message: { reply_to: unknown } } }) => event.data.message.reply_to);
    assert.deepEqual(
      told.filter((reply: { message_id: string } | null) => reply?.message_id === 'wamid.told-later'),
      [{ id: null, message_id: 'wamid.told-later' }],
    );
  });

  it('is linked also to one that comes in the same body, or that is applied together with it', async () => {
    const answers = (id: string, to: string) => textFrom(PHONE, id, { context: { id: to } });
    await post({ messages: [answers('wamid.third', 'wamid.second'), answers('wamid.second', 'wamid.first')] });
    const bodies = [textFrom(PHONE, 'wamid.first'), answers('wamid.fourth', 'wamid.first')];
    await packTogether(
      gateway,
      bodies.map((message) => messagesBody(line, { messages: [message] })),
    );
    await until(() => isProcessed(gateway));
    const linkOf = async (id: string) => (await received(id)).reply_to;
    const [first, second] = [await received('wamid.first'), await received('wamid.second')];
    assert.deepEqual(await linkOf('wamid.third'), { id: second.id, message_id: 'wamid.second' });
    assert.deepEqual(await linkOf('wamid.fourth'), { id: first.id, message_id: 'wamid.first' });
    assert.deepEqual(second.reply_to, { id: first.id, message_id: 'wamid.first' }, 'what it answers came later');
  });

  it('is not linked to a message of another number', async () => {
    const other = await lineOf(gateway, await gateway.createAccount('A third account'));
    const { message_id: id } = await sendOne(gateway);
    const messages = [textFrom(PHONE, 'wamid.elsewhere', { context: { id } })];
    await postAndApply(gateway, messagesBody(other, { messages }));
    // The same account's, but from another number.
    const beside = { ...line, phoneNumberId: '5550199', phoneNumber: '+15550000199' };
    const channelId = await addChannel(gateway, { ...beside, accountId: gateway.accountId, mode: 'test' });
    await gateway.database.query('update message set channel_id = $1 where provider_message_id = $2', [channelId, id]);
    await post({ messages: [textFrom(PHONE, 'wamid.here', { context: { id } })] });
    const rows = await gateway.database.query<{ reply_to_id: string | null }>(
      `select reply_to_id from message where provider_message_id in ('wamid.elsewhere', 'wamid.here')`,
    );
    assert.deepEqual(rows, [{ reply_to_id: null }, { reply_to_id: null }]);
    assert.equal((await received('wamid.here')).reply_to.id, null, 'nor when it is read');
    await packTogether(gateway, [
      messagesBody(beside, { messages: [textFrom(PHONE, 'wamid.told-beside')] }),
      messagesBody(line, { messages: [textFrom(PHONE, 'wamid.in-answer', { context: { id: 'wamid.told-beside' } })] }),
    ]);
    await until(() => isProcessed(gateway));
    assert.equal((await list('message_id=wamid.told-beside')).length, 1);
    const [answer] = await gateway.database.query<{ reply_to_id: string | null }>(
      `select reply_to_id from message where provider_message_id = 'wamid.in-answer'`,
    );
    assert.deepEqual(answer, { reply_to_id: null }, 'nor to one that is applied together with it');
  });

  it('of a person who hides the number is known by the user id', async () => {
    const messages = [{ ...textFrom(PHONE, 'wamid.hidden'), from: undefined, from_user_id: 'GB.2718281828' }];
    await post({ messages });
    const message = await received('wamid.hidden');
    assert.deepEqual([message.from, message.user_id, message.to], [null, 'GB.2718281828', line.phoneNumber]);
    assert.deepEqual((await list('direction=inbound&to=%2B447700900199')).length, 0);
  });

  it('is told apart from ours by the direction', async () => {
    const sent = await sendOne(gateway);
    await post({ messages: [textFrom(PHONE, 'wamid.direction')] });
    const directions = async (query: string) => new Set((await list(query)).map(({ direction }) => direction));
    assert.deepEqual(await directions('direction=inbound'), new Set(['inbound']));
    assert.deepEqual(await directions('direction=outbound'), new Set(['outbound']));
    assert.deepEqual(await directions(''), new Set(['inbound', 'outbound']));
    assert.ok((await list('direction=outbound')).some(({ id }) => id === sent.id));
    assert.deepEqual(await directions('status=received'), new Set(['inbound']));
  });

  it('is not moved by a status that names its id', async () => {
    await post({ messages: [textFrom(PHONE, 'wamid.not-ours')] });
    await post({ statuses: [statusOf('read', { providerId: 'wamid.not-ours' })] });
    assert.deepEqual((await received('wamid.not-ours')).timeline.length, 1);
  });
});
