import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import {
  addChannel,
  asSandbox,
  changeBody,
  isProcessed,
  lineOf,
  postSigned,
  type TestLine,
} from '../../test/support/notifications.ts';
import { until } from '../../test/support/until.ts';
import { countWaitingForLocks } from '../../test/support/waiting-for-locks.ts';
import { channelEvent } from '../channels/present.ts';
import { listUsableChannels, suspendChannelRow } from '../channels/store.ts';
import { appendEvents } from '../events/store.ts';

let gateway: TestGateway;
let line: TestLine;
before(async () => {
  gateway = await startTestGateway();
  line = await lineOf(gateway);
});
after(() => gateway.stop());

// biome-ignore lint/suspicious/noExplicitAny: a test asserts on every member that it reads.
const channelEvents = async (): Promise<any[]> =>
  (await gateway.call('GET', '/api/v1/events?type=channel.updated&limit=100')).json.data;
const tell = async (field: string, value: object) => {
  assert.equal((await postSigned(asSandbox(gateway), changeBody(line, field, value))).status, 200);
  await until(() => isProcessed(gateway));
};

describe('what the provider tells of a business account', () => {
  it('reaches its channels as an event, with the restriction', async () => {
    await tell('account_update', {
      event: 'ACCOUNT_RESTRICTION',
      restriction_info: [{ restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', expiration: 1_789_600_000 }],
    });
    const event = (await channelEvents()).at(-1);
    const { restriction, ...channel } = event.data.channel;
    assert.deepEqual(restriction, {
      event: 'account_restriction',
      restrictions: [{ type: 'restricted_biz_initiated_messaging', until: '2026-09-16T23:06:40.000Z' }],
      ban: null,
      violation: null,
    });
    assert.deepEqual(channel, (await gateway.call('GET', '/api/v1/channels')).json.data[0]);
    await tell('account_update', { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'DISABLE' } });
    assert.deepEqual((await channelEvents()).at(-1).data.channel.restriction.ban, { state: 'disable', date: null });
  });

  it('reaches them also if the one restriction stands in no list, or if nothing is told but what happened', async () => {
    const toldOf = async (value: object) => {
      const before = (await channelEvents()).length;
      await tell('account_update', value);
      return (await channelEvents()).slice(before).map(({ data }) => data.channel.restriction);
    };
    const one = { restriction_type: 'RESTRICTED_ADD_PHONE_NUMBER_ACTION' };
    const nothing = { restrictions: [], ban: null, violation: null };
    assert.deepEqual(await toldOf({ event: 'ACCOUNT_RESTRICTION', restriction_info: one }), [
      {
        ...nothing,
        event: 'account_restriction',
        restrictions: [{ type: 'restricted_add_phone_number_action', until: null }],
      },
    ]);
    const limiting = ['ACCOUNT_RESTRICTION', 'DISABLED_UPDATE', 'ACCOUNT_VIOLATION'];
    for (const event of [...limiting, 'ACCOUNT_OFFBOARDED', 'ACCOUNT_RECONNECTED', 'ACCOUNT_DELETED'])
      assert.deepEqual(await toldOf({ event }), [{ ...nothing, event: event.toLowerCase() }]);
  });

  it('reaches the one channel of an account whose number it names, and all of them if that is none of its own', async () => {
    const second = { ...line, phoneNumberId: '900000000000031', phoneNumber: '+447700900931' };
    const foreign = { ...line, phoneNumberId: '900000000000032', phoneNumber: '+447700900932' };
    const accountId = await gateway.createAccount('In the same business account');
    const key = await gateway.createKey({ accountId });
    await addChannel(gateway, { ...second, accountId: gateway.accountId, mode: 'test' });
    await addChannel(gateway, { ...foreign, accountId, mode: 'test' });
    let before = (await channelEvents()).length;
    const toldOf = async (phone_number: string) => {
      await tell('account_update', { event: 'ACCOUNT_RESTRICTION', phone_number });
      const own = (await channelEvents()).slice(before);
      before += own.length;
      const theirs = (await gateway.call('GET', '/api/v1/events', { key })).json.data.slice(-1);
      return [...own, ...theirs].map(({ data }) => data.channel.phone_number).toSorted();
    };
    const [one, two, theirs] = [line.phoneNumber, second.phoneNumber, foreign.phoneNumber];
    assert.deepEqual(await toldOf('447700900931'), [two, theirs].toSorted());
    assert.deepEqual(await toldOf(one), [one, theirs].toSorted());
    assert.deepEqual(await toldOf('447700900932'), [one, two, theirs].toSorted());
    assert.deepEqual(await toldOf('447700900999'), [one, two, theirs].toSorted());
    assert.equal((await gateway.call('GET', '/api/v1/events', { key })).json.data.length, 4);
    for (const { phoneNumberId } of [second, foreign])
      await gateway.database.query('delete from channel where phone_number_id = $1', [phoneNumberId]);
  });

  it('is no event where it is about something else', async () => {
    const before = (await channelEvents()).length;
    await tell('account_update', { event: 'PARTNER_ADDED', waba_info: { waba_id: '77', owner_business_id: '1' } });
    assert.equal((await channelEvents()).length, before);
  });

  it('changes the messaging limit once, and has the other facts read soon', async () => {
    const before = (await channelEvents()).length;
    const capability = { max_daily_conversation_per_phone: 2_000, max_phone_numbers_per_business: 25 };
    await tell('business_capability_update', capability);
    const told = (await channelEvents()).slice(before);
    assert.equal(told[0].data.channel.messaging_limit, 'tier_2k');
    // The sandbox says another limit when it is asked.
    await until(async () => (await channelEvents()).at(-1).data.channel.messaging_limit === 'tier_100k');
    const { json } = await gateway.call('GET', '/api/v1/channels');
    assert.deepEqual([json.data[0].quality, json.data[0].messaging_limit], ['green', 'tier_100k']);
  });

  it('is told with the channel as it is, also where that is being suspended in the same moment', async () => {
    const { accountId, database } = gateway;
    const [channel] = await listUsableChannels(database, accountId);
    assert.ok(channel !== undefined);
    let telling: Promise<void> | undefined;
    await database.transaction(async (tx) => {
      const suspended = await suspendChannelRow(tx, accountId, channel.id, channel.access_token_sealed);
      assert.ok(suspended !== undefined);
      await appendEvents(tx, [channelEvent(suspended)]);
      telling = tell('account_update', {
        event: 'DISABLED_UPDATE',
        ban_info: { waba_ban_state: 'SCHEDULE_FOR_DISABLE' },
      });
      await until(async () => (await countWaitingForLocks(database)) === 1);
    });
    await telling;
    const { status, restriction } = (await channelEvents()).at(-1).data.channel;
    assert.deepEqual([status, restriction.ban.state], ['suspended', 'schedule_for_disable']);
  });
});
