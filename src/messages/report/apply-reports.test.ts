import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { meetLock } from '../../../test/support/meet-lock.ts';
import {
  forgetNotifications,
  lineOf,
  listNotifications,
  messagesBody,
  postAndApply,
  readMessage,
  sendOne,
  statusOf,
  type TestLine,
} from '../../../test/support/notifications.ts';
import { until } from '../../../test/support/until.ts';
import { newId, parseId } from '../../kernel/ids.ts';
import type { Queryable } from '../../store/database.ts';

/** The sandbox reads the message, does not take it and resets the connection. */
const UNKNOWN_FOR_EVER = '+15552000001';
const REFUSED = '+15550131026';

describe('a report of the provider', () => {
  let gateway: TestGateway;
  let line: TestLine;
  before(async () => {
    gateway = await startTestGateway({ sandbox: { statuses: 'off' } });
    line = await lineOf(gateway);
  });
  after(() => gateway.stop());

  let serial = 0;
  const freshId = () => `wamid.fresh.${++serial}`;
  /** Posts statuses in one body and waits until they have been looked at. */
  const report = (statuses: object[], to = line) => postAndApply(gateway, messagesBody(to, { statuses }));
  const timelineOf = async (id: string): Promise<[string, string | null][]> =>
    (await readMessage(gateway, id)).timeline.map((entry: { status: string; note: string | null }) => [
      entry.status,
      entry.note,
    ]);
  const forget = () => forgetNotifications(gateway);

  it("is matched by the provider's id", async () => {
    const { id, message_id: providerId } = await sendOne(gateway);
    const { updated_at: sentAt } = await readMessage(gateway, id);
    await report([statusOf('sent', { providerId }), statusOf('read', { providerId })]);
    const message = await readMessage(gateway, id);
    assert.equal(message.status, 'read');
    assert.ok(message.updated_at > sentAt);
    assert.deepEqual(await timelineOf(id), [
      ['accepted', null],
      ['sent', null],
      ['read', null],
    ]);
  });

  it('is told with the time at which the provider says that it happened, and with that at which it came', async () => {
    const { id, message_id: providerId } = await sendOne(gateway);
    await report([statusOf('sent', { providerId }), statusOf('read', { providerId, timestamp: 'soon' })]);
    const [, sent, read] = (await readMessage(gateway, id)).timeline;
    assert.equal(sent.at, '2026-01-01T00:00:00.000Z');
    assert.ok(sent.received_at > sent.at);
    assert.equal(read.at, read.received_at, 'where it says none');
  });

  it('is judged by what another node has applied in the same moment', async () => {
    const { id, message_id: providerId } = await sendOne(gateway);
    const key = [gateway.accountId, parseId('msg', id)];
    await meetLock(gateway.database, {
      hold: (tx) => tx.query("update message set status = 'read' where account_id = $1 and id = $2", key),
      work: () => report([statusOf('delivered', { providerId })]),
    });
    assert.equal((await readMessage(gateway, id)).status, 'read');
    assert.deepEqual((await timelineOf(id)).at(-1), ['delivered', 'late']);
  });

  it('beside others waits for the first of their messages, in whatever order they are told, and holds no later one', async () => {
    const [first, second] = [await sendOne(gateway), await sendOne(gateway)];
    const lock = 'select 1 from message where account_id = $1 and id = $2 for update nowait';
    const lockOne = (tx: Queryable, { id }: { id: string }) => tx.query(lock, [gateway.accountId, parseId('msg', id)]);
    await meetLock(gateway.database, {
      hold: (tx) => lockOne(tx, first),
      work: () => report([second, first].map(({ message_id: providerId }) => statusOf('sent', { providerId }))),
      meanwhile: (tx) => lockOne(tx, second),
    });
    for (const { id } of [first, second]) assert.equal((await readMessage(gateway, id)).status, 'sent');
  });

  it('is matched by our id where the message has no other provider id, and gives it one', async () => {
    const { id, status } = await sendOne(gateway, UNKNOWN_FOR_EVER);
    assert.equal(status, 'unknown');
    const providerId = freshId();
    await report([statusOf('delivered', { providerId, messageId: id })]);
    const message = await readMessage(gateway, id);
    assert.equal(message.status, 'delivered');
    assert.equal(message.message_id, providerId);
    assert.equal(message.error, null);
    assert.equal(message.timeline[0].status, 'unknown');
    assert.equal(message.timeline[0].error.code, 'outcome_unknown');
    await report([statusOf('read', { providerId })]);
    assert.equal((await readMessage(gateway, id)).status, 'read');
  });

  it('learns the provider id also from a status that changes nothing else, at once for what stands beside it', async () => {
    const { id } = await sendOne(gateway, UNKNOWN_FOR_EVER);
    const providerId = freshId();
    await report([statusOf('played', { providerId, messageId: id }), statusOf('sent', { providerId })]);
    const message = await readMessage(gateway, id);
    assert.deepEqual([message.status, message.message_id], ['sent', providerId]);
  });

  it("has no effect where our id is that of a message with another provider's id", async () => {
    await forget();
    const { id, message_id: providerId } = await sendOne(gateway);
    await report([statusOf('read', { providerId: freshId(), messageId: id })]);
    const message = await readMessage(gateway, id);
    assert.deepEqual([message.status, message.message_id, message.timeline.length], ['accepted', providerId, 1]);
    assert.equal((await listNotifications(gateway, '&state=waiting')).length, 1);
  });

  it("of two provider's ids for one of ours only the first has an effect, also within one body", async () => {
    await forget();
    for (const bodies of [1, 2]) {
      const { id } = await sendOne(gateway, UNKNOWN_FOR_EVER);
      const [first, second] = [freshId(), freshId()];
      const statuses = [
        statusOf('sent', { providerId: first, messageId: id }),
        statusOf('read', { providerId: second, messageId: id }),
      ];
      if (bodies === 1) await report(statuses);
      else for (const status of statuses) await report([status]);
      const message = await readMessage(gateway, id);
      assert.deepEqual([message.status, message.message_id], ['sent', first]);
      assert.equal((await listNotifications(gateway, '&state=waiting')).length, bodies);
    }
  });

  it('has no effect on a message of another number or another account', async () => {
    await forget();
    const other = await lineOf(gateway, await gateway.createAccount('Another account'));
    const [settled, unsettled] = [await sendOne(gateway), await sendOne(gateway, UNKNOWN_FOR_EVER)];
    await report(
      [
        statusOf('read', { providerId: settled.message_id }),
        statusOf('read', { providerId: settled.message_id, messageId: settled.id }),
        statusOf('failed', { providerId: freshId(), messageId: unsettled.id }),
      ],
      other,
    );
    assert.deepEqual(await timelineOf(settled.id), [['accepted', null]]);
    assert.deepEqual(await timelineOf(unsettled.id), [['unknown', null]]);
    const [waiting] = await listNotifications(gateway, '&state=waiting');
    assert.deepEqual(
      [waiting?.error, waiting?.kinds],
      ['unknown_message', ['messages.status.read', 'messages.status.failed']],
    );
  });

  it('has none on a message of another account either where a report of that one beside it tells its id', async () => {
    const other = await lineOf(gateway, await gateway.createAccount('Beside it'));
    const { id } = await sendOne(gateway, UNKNOWN_FOR_EVER);
    const providerId = freshId();
    const own = messagesBody(line, { statuses: [statusOf('sent', { providerId, messageId: id })] });
    const beside = messagesBody(other, { statuses: [statusOf('read', { providerId })] });
    await postAndApply(gateway, { ...own, entry: [own, beside].flatMap((body) => Reflect.get(body, 'entry')) });
    assert.equal((await readMessage(gateway, id)).status, 'sent');
  });

  it("goes by the provider's id where our id names another message", async () => {
    const [named, meant] = [await sendOne(gateway, UNKNOWN_FOR_EVER), await sendOne(gateway)];
    await report([statusOf('delivered', { providerId: meant.message_id, messageId: named.id })]);
    assert.equal((await readMessage(gateway, meant.id)).status, 'delivered');
    assert.equal((await readMessage(gateway, named.id)).status, 'unknown');
  });

  it('that brings nonsense in the opaque member is matched by the provider id alone', async () => {
    const { id, message_id: providerId } = await sendOne(gateway);
    const nonsense = [
      '',
      'x',
      'msg_',
      'msg_00000000000000000000000000',
      'msg_7zzzzzzzzzzzzzzzzzzzzzzzzz',
      id.slice(4),
      '\0',
    ];
    await report(nonsense.map((messageId) => statusOf('sent', { providerId, messageId })));
    assert.equal((await timelineOf(id)).length, 1 + nonsense.length);
  });

  it('of a message that nobody knows waits, and is applied when the message appears', async () => {
    await forget();
    const { id, message_id: providerId } = await sendOne(gateway);
    const { database } = gateway;
    const uuid = parseId('msg', id);
    const later = newId();
    // The message is taken out of sight, as if its outcome were not written yet.
    await database.query('update message set id = $2 where id = $1', [uuid, later]);
    await database.query(`update message set provider_message_id = 'wamid.hidden' where id = $1`, [later]);
    await report([statusOf('delivered', { providerId })]);
    const [waiting] = await listNotifications(gateway, '&state=waiting');
    assert.deepEqual([waiting?.error, waiting?.attempts], ['unknown_message', 1]);

    await database.query('update message set id = $2, provider_message_id = $3 where id = $1', [
      later,
      uuid,
      providerId,
    ]);
    await until(async () => (await readMessage(gateway, id)).status === 'delivered');
    const [applied] = await listNotifications(gateway, '&state=applied');
    assert.deepEqual([applied?.id, applied?.error], [waiting?.id, null]);
  });

  it('is given up after seven days, and can still be reprocessed', async () => {
    await forget();
    const id = newId();
    const weekAgo = Date.now() - 7 * 86_400_000 - 1_000;
    const old = weekAgo.toString(16).padStart(12, '0');
    const oldId = `${old.slice(0, 8)}-${old.slice(8)}${id.slice(13)}`;
    const body = Buffer.from(
      JSON.stringify(messagesBody(line, { statuses: [statusOf('sent', { providerId: freshId() })] })),
    );
    const insert = `insert into notification (id, origin, body, attempts) values ($1, 'test', $2, 6)`;
    await gateway.database.query(insert, [oldId, body]);
    const [given] = await until(async () => {
      const all = await listNotifications(gateway, '&state=set_aside');
      return all.length > 0 ? all : undefined;
    });
    assert.equal(given?.error, 'unknown_message');
    assert.equal(given?.received_at, new Date(weekAgo).toISOString());
    const path = `/platform/v1/notifications/${given?.id}/reprocess`;
    assert.equal((await gateway.call('POST', path, { key: gateway.platformKey })).status, 202);
    await until(async () => (await listNotifications(gateway, '&state=set_aside'))[0]?.attempts === 8);
  });

  it('moves nothing backwards and stands in the history with its note', async () => {
    const { id, message_id: providerId } = await sendOne(gateway);
    const order = ['delivered', 'sent', 'delivered', 'failed', 'read', 'played', 'sent', 'read', 'played'];
    for (const status of order) await report([statusOf(status, { providerId })]);
    const message = await readMessage(gateway, id);
    assert.deepEqual([message.status, message.error], ['read', null]);
    assert.deepEqual(await timelineOf(id), [
      ['accepted', null],
      ['delivered', null],
      ['sent', 'late'],
      ['delivered', 'duplicate'],
      ['failed', 'late'],
      ['read', null],
      ['played', null],
      ['sent', 'duplicate'],
      ['read', 'duplicate'],
      ['played', 'duplicate'],
    ]);
    assert.equal(message.timeline[4].error.code, 'recipient_unreachable');
  });

  it('moves nothing backwards within one body either', async () => {
    const { id, message_id: providerId } = await sendOne(gateway);
    await report(['delivered', 'sent', 'delivered', 'read', 'sent'].map((status) => statusOf(status, { providerId })));
    assert.equal((await readMessage(gateway, id)).status, 'read');
    assert.deepEqual(await timelineOf(id), [
      ['accepted', null],
      ['delivered', null],
      ['sent', 'late'],
      ['delivered', 'duplicate'],
      ['read', null],
      ['sent', 'duplicate'],
    ]);
  });

  it('takes a failure back when the message was delivered after all; the error stays in the history', async () => {
    const { id, message_id: providerId } = await sendOne(gateway);
    await report([statusOf('failed', { providerId })]);
    const failed = await readMessage(gateway, id);
    assert.deepEqual([failed.status, failed.error.code], ['failed', 'recipient_unreachable']);
    await report([statusOf('sent', { providerId }), statusOf('delivered', { providerId })]);
    const message = await readMessage(gateway, id);
    assert.deepEqual([message.status, message.error], ['delivered', null]);
    assert.deepEqual(
      message.timeline.map((entry: { error: { code: string } | null }) => entry.error?.code),
      [undefined, 'recipient_unreachable', undefined, undefined],
    );
    await report([statusOf('read', { providerId, errors: [{ code: 131_026, title: 'Beside another status' }] })]);
    const { status, error } = await readMessage(gateway, id);
    assert.deepEqual([status, error], ['read', null]);
  });

  it('proves that a refused send was sent all the same', async () => {
    const { id, status } = await sendOne(gateway, REFUSED);
    assert.equal(status, 'failed');
    const providerId = freshId();
    await report([statusOf('sent', { providerId, messageId: id })]);
    const message = await readMessage(gateway, id);
    assert.deepEqual([message.status, message.error, message.message_id], ['sent', null, providerId]);
    assert.deepEqual(await timelineOf(id), [
      ['failed', null],
      ['sent', null],
    ]);
  });

  it('of a failure holds where its `sent` comes in a later body, whatever the send itself found out', async () => {
    for (const [to, outcome] of [
      [REFUSED, 'failed'],
      [UNKNOWN_FOR_EVER, 'unknown'],
    ] as const) {
      const { id, status } = await sendOne(gateway, to);
      assert.equal(status, outcome);
      const providerId = freshId();
      await report([statusOf('failed', { providerId, messageId: id })]);
      await report([statusOf('sent', { providerId, messageId: id })]);
      assert.equal((await readMessage(gateway, id)).status, 'failed', outcome);
      assert.deepEqual((await timelineOf(id)).at(-1), ['sent', 'late']);
    }
  });

  it('keeps the price of the newest step, whatever comes late', async () => {
    const { id, message_id: providerId } = await sendOne(gateway);
    const priced = (category: string) => ({ providerId, pricing: { billable: true, pricing_model: 'PMP', category } });
    await report([statusOf('delivered', priced('utility'))]);
    await report([statusOf('sent', priced('marketing'))]);
    await report([statusOf('read', { providerId })]);
    assert.equal((await readMessage(gateway, id)).pricing.category, 'utility');
  });

  it('tells the user id of a person, and needs no phone number', async () => {
    const { id, message_id: providerId } = await sendOne(gateway);
    await report([
      statusOf('sent', { providerId, recipient_id: undefined, recipient_user_id: 'GB.2718281828' }),
      statusOf('delivered', { providerId, recipient_id: undefined }),
    ]);
    const message = await readMessage(gateway, id);
    assert.deepEqual([message.status, message.user_id, message.to], ['delivered', 'GB.2718281828', '+447700900123']);
  });

  it('fills in what is missing from what comes late, the same in one body and in several', async () => {
    const told = (user: string, category: string) => ({ recipient_user_id: user, pricing: { category } });
    for (const bodies of ['one', 'several']) {
      const [priced, unpriced] = [await sendOne(gateway), await sendOne(gateway)];
      const statuses = [
        statusOf('failed', { providerId: priced.message_id, pricing: { category: 'utility' } }),
        statusOf('sent', { providerId: priced.message_id, ...told('GB.1', 'marketing') }),
        statusOf('delivered', { providerId: priced.message_id, recipient_user_id: 'GB.2' }),
        statusOf('read', { providerId: unpriced.message_id }),
        statusOf('delivered', { providerId: unpriced.message_id, ...told('GB.3', 'service') }),
        statusOf('sent', { providerId: unpriced.message_id, ...told('GB.4', 'marketing') }),
      ];
      if (bodies === 'one') await report(statuses);
      else for (const status of statuses) await report([status]);
      const read = await Promise.all([priced, unpriced].map(({ id }) => readMessage(gateway, id)));
      assert.deepEqual(
        read.map(({ status, user_id: user, pricing }) => [status, user, pricing.category]),
        [
          ['delivered', 'GB.1', 'utility'],
          ['read', 'GB.3', 'service'],
        ],
      );
    }
  });
});
