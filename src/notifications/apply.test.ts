import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import {
  addChannel,
  changeBody,
  forgetNotifications,
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
} from '../../test/support/notifications.ts';
import { assertProblem } from '../../test/support/problem.ts';
import { until } from '../../test/support/until.ts';
import { newId } from '../kernel/ids.ts';

const PHONE = '+447700900123';

/** Makes the database refuse a status `poison`, and the row of a notification that says `venom` once it is applied. */
const POISON = `
  create function refuse_poison() returns trigger language plpgsql as $$
  begin
    if new.status = 'poison' then raise exception 'poisoned'; end if;
    return new;
  end $$;
  create trigger poison before insert on timeline for each row execute function refuse_poison();
  create function refuse_venom() returns trigger language plpgsql as $$
  begin
    if position('venom'::bytea in new.body) > 0 and new.state = 'applied' then raise exception 'poisoned'; end if;
    return new;
  end $$;
  create trigger venom before insert or update on notification for each row execute function refuse_venom()`;

describe('applying notifications', () => {
  let gateway: TestGateway;
  let line: TestLine;
  before(async () => {
    gateway = await startTestGateway({ sandbox: { statuses: 'off' } });
    line = await lineOf(gateway);
    await gateway.database.transaction((tx) => tx.runScript(POISON));
  });
  after(() => gateway.stop());
  beforeEach(() => forgetNotifications(gateway));

  const post = (...bodies: unknown[]) => postAndApply(gateway, ...bodies);
  const postTogether = async (...bodies: unknown[]) => {
    await packTogether(gateway, bodies);
    await until(() => isProcessed(gateway));
  };
  const reprocess = (id: string) =>
    gateway.call('POST', `/platform/v1/notifications/${id}/reprocess`, { key: gateway.platformKey });
  const timelineOf = async (id: string): Promise<string[]> =>
    (await readMessage(gateway, id)).timeline.map(({ status }: { status: string }) => status);
  const onlyOne = async () => {
    const [one, ...others] = await listNotifications(gateway);
    assert.deepEqual(others, []);
    return one;
  };

  it('sets a poisoned item aside alone: the others of its body take effect once', async () => {
    const [first, second] = [await sendOne(gateway), await sendOne(gateway)];
    const body = messagesBody(line, {
      statuses: [
        statusOf('sent', { providerId: first.message_id }),
        statusOf('poison', { providerId: first.message_id }),
        statusOf('read', { providerId: first.message_id }),
        statusOf('delivered', { providerId: second.message_id }),
      ],
      messages: [textFrom(PHONE, 'wamid.beside-poison')],
    });
    await post(body);
    assert.deepEqual(await timelineOf(first.id), ['accepted', 'sent', 'read']);
    assert.deepEqual(await timelineOf(second.id), ['accepted', 'delivered']);
    const inbound = await gateway.call('GET', '/api/v1/messages?message_id=wamid.beside-poison');
    assert.equal(inbound.json.data.length, 1);
    const setAside = await onlyOne();
    assert.deepEqual([setAside?.state, setAside?.error, setAside?.attempts], ['set_aside', 'failed', 1]);
  });

  it('sets a poisoned item aside alone: the other bodies of its batch take effect once', async () => {
    const sent = await Promise.all(Array.from({ length: 30 }, () => sendOne(gateway)));
    const bodies = sent.map(({ message_id: providerId }, place) =>
      messagesBody(line, { statuses: [statusOf(place % 10 === 3 ? 'poison' : 'delivered', { providerId })] }),
    );
    await postTogether(...bodies);
    for (const [place, { id }] of sent.entries())
      assert.deepEqual(await timelineOf(id), place % 10 === 3 ? ['accepted'] : ['accepted', 'delivered']);
    const states = (await listNotifications(gateway)).map(({ state }) => state);
    assert.deepEqual(Object.groupBy(states, (state) => state).applied?.length, 27);
    assert.deepEqual(Object.groupBy(states, (state) => state).set_aside?.length, 3);
  });

  it('applies a poisoned item once it is mended and reprocessed, and the others not again', async () => {
    const { id, message_id: providerId } = await sendOne(gateway);
    const statuses = ['sent', 'poison', 'delivered'].map((status) => statusOf(status, { providerId }));
    await post(messagesBody(line, { statuses }));
    const setAside = await onlyOne();
    await gateway.database.query('alter table timeline disable trigger poison');
    const answer = await reprocess(setAside?.id ?? '');
    assert.equal(answer.status, 202);
    const [entry] = (await gateway.call('GET', '/platform/v1/audit?limit=1', { key: gateway.platformKey })).json.data;
    assert.deepEqual(
      [entry.actor, entry.action, entry.target, entry.account_id],
      ['platform', 'notification.reprocessed', setAside?.id, null],
    );
    await until(async () => (await onlyOne())?.state === 'applied');
    await gateway.database.query('alter table timeline enable trigger poison');
    assert.deepEqual(await timelineOf(id), ['accepted', 'sent', 'delivered', 'poison']);
    assert.deepEqual((await onlyOne())?.error, null);
    await reprocess(setAside?.id ?? '');
    await until(() => isProcessed(gateway));
    assert.equal((await timelineOf(id)).length, 4, 'what is applied is not applied again');
  });

  it('sets a notification aside whole if even its own row cannot be finished, and goes on with the others', async () => {
    const [bad, good] = [await sendOne(gateway), await sendOne(gateway)];
    await postTogether(
      messagesBody(line, { statuses: [statusOf('sent', { providerId: bad.message_id, venom: 'venom' })] }),
      messagesBody(line, { statuses: [statusOf('sent', { providerId: good.message_id })] }),
    );
    assert.deepEqual(await timelineOf(bad.id), ['accepted']);
    assert.deepEqual(await timelineOf(good.id), ['accepted', 'sent']);
    const setAside = (await listNotifications(gateway)).filter(({ state }) => state === 'set_aside');
    assert.deepEqual(
      setAside.map(({ error }) => error),
      ['failed'],
    );
  });

  it('tells of each message that came too late for its window when its own person last wrote', async () => {
    const wrote = '+447700900155';
    const sends = [await sendOne(gateway, wrote), await sendOne(gateway, '+447700900156')];
    await post(messagesBody(line, { messages: [textFrom(wrote, 'wamid.opens-the-window')] }));
    const errors = [{ code: 131047, title: 'Re-engagement message' }];
    const failed = sends.map(({ message_id: providerId }, place) =>
      statusOf('failed', { providerId, errors, recipient_id: `44770090015${5 + place}` }),
    );
    await post(messagesBody(line, { statuses: failed }));
    const seen = await Promise.all(sends.map(({ id }) => readMessage(gateway, id)));
    assert.deepEqual(
      seen.map(({ error }) => error.code),
      ['window_closed', 'window_closed'],
    );
    assert.match(seen[0].error.message, /last wrote to or called this number at 2026-01-01/);
    assert.match(seen[1].error.message, /has neither written to nor called this number/);
  });

  it('tells the later of two times at which a person wrote, once with the number and once with only the user id', async () => {
    const [number, userId] = ['+447700900157', 'GB.1570157'];
    const { id, message_id: providerId } = await sendOne(gateway, number);
    const later = { from: undefined, from_user_id: userId, timestamp: '1767312000' };
    await post(
      messagesBody(line, {
        messages: [textFrom(number, 'wamid.with-number'), textFrom(number, 'wamid.without-number', later)],
      }),
    );
    const errors = [{ code: 131047, title: 'Re-engagement message' }];
    const both = { recipient_id: number.slice(1), recipient_user_id: userId };
    await post(messagesBody(line, { statuses: [statusOf('failed', { providerId, errors, ...both })] }));
    assert.match((await readMessage(gateway, id)).error.message, /last wrote to or called this number at 2026-01-02/);
  });

  it('keeps what no channel claims, and applies it when the channel is connected and it is reprocessed', async () => {
    const missing: TestLine = {
      phoneNumberId: '900000000000011',
      businessAccountId: '900000000000012',
      phoneNumber: '+447700900911',
    };
    await post(messagesBody(missing, { messages: [textFrom(PHONE, 'wamid.too-early')] }));
    const setAside = await onlyOne();
    assert.deepEqual([setAside?.state, setAside?.error], ['set_aside', 'no_channel']);
    assert.deepEqual(setAside?.kinds, ['messages.message.text']);
    await addChannel(gateway, { ...missing, accountId: gateway.accountId, mode: 'test' });
    assert.deepEqual((await reprocess(setAside?.id ?? '')).json.state, 'waiting');
    await until(async () => (await onlyOne())?.state === 'applied');
    const { json } = await gateway.call('GET', '/api/v1/messages?message_id=wamid.too-early');
    assert.deepEqual([json.data.length, json.data[0].to], [1, missing.phoneNumber]);
  });

  it('handles every item of every change of every entry, whatever stands between them', async () => {
    const sent = await Promise.all(Array.from({ length: 3 }, () => sendOne(gateway)));
    const change = (place: number) => ({
      field: 'messages',
      value: {
        metadata: { phone_number_id: line.phoneNumberId },
        statuses: [7, statusOf('read', { providerId: sent[place]?.message_id ?? '' }), { id: 1, status: [] }, null],
      },
    });
    await post({
      object: 'whatsapp_business_account',
      entry: [null, 'x', { id: 1, changes: [change(0), [], change(1)] }, {}, { id: null, changes: [change(2)] }],
    });
    for (const { id } of sent) assert.equal((await readMessage(gateway, id)).status, 'read');
    assert.deepEqual([(await onlyOne())?.state, (await onlyOne())?.error], ['set_aside', 'undecodable']);
  });

  it('keeps what a later version has left of a body in which it reads more than this one', async () => {
    const { id, message_id: providerId } = await sendOne(gateway);
    const body = Buffer.from(JSON.stringify(messagesBody(line, { statuses: [statusOf('read', { providerId })] })));
    const insert = `
      insert into notification (id, origin, body, items_left, error, attempts) values ($1, 'test', $2, '{0, 1}', 'unknown_message', 1)`;
    await gateway.database.query(insert, [newId(), body]);
    await until(async () => (await readMessage(gateway, id)).status === 'read');
    const left = await gateway.database.query('select state, error, items_left from notification');
    assert.deepEqual(left, [{ state: 'waiting', error: 'undecodable', items_left: [1] }]);
  });

  it('reads numbers where strings belong', async () => {
    const { id, message_id: providerId } = await sendOne(gateway);
    await post({
      entry: [
        {
          id: Number(line.businessAccountId),
          changes: [
            {
              field: 'messages',
              value: {
                metadata: { phone_number_id: Number(line.phoneNumberId), display_phone_number: 15550100200 },
                statuses: [{ id: providerId, status: 'read', timestamp: 1_767_225_600, recipient_id: 447_700_900_123 }],
              },
            },
          ],
        },
      ],
    });
    const { status, timeline } = await readMessage(gateway, id);
    assert.equal(status, 'read');
    assert.equal(timeline[1].at, '2026-01-01T00:00:00.000Z', 'when the provider says that it was');
    assert.ok(timeline[1].received_at > timeline[1].at);
  });

  it('sets a messaging limit on the channel with the display number, or on all of the business account', async () => {
    // What the provider tells makes the numbers' facts due, and a reading of them writes what the sandbox says. The events stay.
    const told = async () => {
      const { json } = await gateway.call('GET', '/api/v1/events?type=channel.updated');
      const channels = json.data.map(({ data }: { data: { channel: Record<string, string | null> } }) => data.channel);
      return channels
        .map((channel: Record<string, string | null>) => `${channel.phone_number} ${channel.messaging_limit}`)
        .filter((text: string) => /tier_10k|tier_unlimited/.test(text));
    };
    const second = { ...line, phoneNumberId: '900000000000021', phoneNumber: '+447700900921' };
    await addChannel(gateway, { ...second, accountId: gateway.accountId, mode: 'test' });
    const quality = { display_phone_number: '44 7700 900921', event: 'UPGRADE', current_limit: 'TIER_10K' };
    await post(changeBody(line, 'phone_number_quality_update', quality));
    assert.deepEqual(await told(), [`${second.phoneNumber} tier_10k`]);
    await post(
      changeBody(line, 'business_capability_update', { max_daily_conversations_per_business: 'TIER_UNLIMITED' }),
    );
    const [, ...later] = await told();
    assert.deepEqual(later.toSorted(), [`${line.phoneNumber} tier_unlimited`, `${second.phoneNumber} tier_unlimited`]);
  });

  it('lists by state and by page, newest first, never the body, for the platform only', async () => {
    for (let number = 0; number < 5; number++) await post(`not json ${number}`);
    const path = '/platform/v1/notifications?state=set_aside&limit=2';
    const first = (await gateway.call('GET', path, { key: gateway.platformKey })).json;
    const next = (await gateway.call('GET', `${path}&cursor=${first.next_cursor}`, { key: gateway.platformKey })).json;
    const ids = [...first.data, ...next.data].map(({ id }) => id);
    assert.equal(new Set(ids).size, 4);
    assert.deepEqual(ids, ids.toSorted().reverse());
    assert.ok(!JSON.stringify(first).includes('not json 4'));
    assertProblem(await gateway.call('GET', path), 'insufficient_scope');
    assertProblem(await gateway.call('GET', `${path}x`, { key: gateway.platformKey }), 'invalid_request');
    assertProblem(await reprocess('ntf_00000000000000000000000000'), 'not_found');
    assertProblem(await reprocess('ntf_x'), 'not_found');
  });
});
