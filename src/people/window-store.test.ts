import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import {
  asSandbox,
  changeBody,
  isProcessed,
  lineOf,
  messagesBody,
  postSigned,
  type TestLine,
  textFrom,
} from '../../test/support/notifications.ts';
import { until } from '../../test/support/until.ts';
import { isWindowOpen } from './window.ts';
import { findWindows } from './window-store.ts';

const NOON = 1_767_268_800;
/** In 2099, which is not yet taken for no time at all. */
const FAR_AHEAD = 4_102_444_000;
/** Now, as the provider tells times. */
const wholeSecondMs = () => Math.floor(Date.now() / 1_000) * 1_000;

describe('the windows of people', () => {
  let gateway: TestGateway;
  let line: TestLine;
  let channelId: string;
  before(async () => {
    gateway = await startTestGateway();
    line = await lineOf(gateway);
    const [row] = await gateway.database.query<{ id: string }>('select id from channel where account_id = $1', [
      gateway.accountId,
    ]);
    channelId = row?.id ?? '';
  });
  after(() => gateway.stop());

  const post = async (body: object) => {
    assert.equal((await postSigned(asSandbox(gateway), body)).status, 200);
    await until(() => isProcessed(gateway));
  };
  const windowOf = async (person: string) => {
    const owner = { accountId: gateway.accountId, mode: 'test', channelId } as const;
    return (await findWindows(gateway.database, owner, [person])).get(person)?.getTime();
  };
  const write = (phone: string, id: string, seconds: number, more: object = {}) =>
    post(messagesBody(line, { messages: [textFrom(phone, id, { timestamp: String(seconds), ...more })] }));

  it('a message opens the window of its person from the time at which it was written', async () => {
    await write('+447700900001', 'wamid.w1', NOON);
    assert.equal(await windowOf('+447700900001'), NOON * 1_000);
    assert.equal(await windowOf('+447700900002'), undefined);
  });

  it('the latest message counts, in whatever order they arrive', async () => {
    await write('+447700900003', 'wamid.w2', NOON + 10);
    await write('+447700900003', 'wamid.w3', NOON);
    assert.equal(await windowOf('+447700900003'), (NOON + 10) * 1_000);
    const at = (id: string, seconds: number) => textFrom('+447700900003', id, { timestamp: String(NOON + seconds) });
    await post(messagesBody(line, { messages: [at('wamid.w4', 30), at('wamid.w5', 20)] }));
    assert.equal(await windowOf('+447700900003'), (NOON + 30) * 1_000);
  });

  it('a message that is told to be of the future opens the window from when it was received', async () => {
    const beforeMs = wholeSecondMs();
    await write('+447700900009', 'wamid.w9', FAR_AHEAD);
    const openedMs = await windowOf('+447700900009');
    assert.ok(openedMs !== undefined && openedMs >= beforeMs && openedMs <= Date.now());
  });

  it('the window is found by the phone number and by the user id', async () => {
    await write('+447700900004', 'wamid.w6', NOON, { from_user_id: 'GB.4444' });
    assert.equal(await windowOf('+447700900004'), NOON * 1_000);
    assert.equal(await windowOf('GB.4444'), NOON * 1_000);
    await write('+447700900005', 'wamid.w7', NOON, { from: undefined, from_user_id: 'GB.5555' });
    assert.equal(await windowOf('GB.5555'), NOON * 1_000);
  });

  it('a message that tells of a person and was not written by one opens nothing', async () => {
    const system = { type: 'system', text: undefined, system: { type: 'user_changed_number', body: 'changed' } };
    await write('+447700900006', 'wamid.w8', NOON, system);
    assert.equal(await windowOf('+447700900006'), undefined);
  });

  it('a message that a person writes in a group opens nothing', async () => {
    await write('+447700900020', 'wamid.w20', NOON, { group_id: 'GROUP-EXAMPLE-1' });
    assert.equal(await windowOf('+447700900020'), undefined);
  });

  it('a call of the person opens the window, a call of ours does not', async () => {
    const call = (from: string, direction: string, more: object = {}) => ({
      ...messagesBody(line, {}),
      entry: [
        {
          id: line.businessAccountId,
          changes: [
            {
              field: 'calls',
              value: {
                metadata: { phone_number_id: line.phoneNumberId },
                calls: [{ id: `wacid.${from}`, from, event: 'connect', direction, timestamp: String(NOON), ...more }],
              },
            },
          ],
        },
      ],
    });
    await post(call('447700900007', 'USER_INITIATED'));
    await post(call('447700900008', 'BUSINESS_INITIATED'));
    assert.equal(await windowOf('+447700900007'), NOON * 1_000);
    assert.equal(await windowOf('+447700900008'), undefined);

    const names = { from_user_id: 'GB.1010', from_parent_user_id: 'GB.ENT.1010' };
    await post(call('447700900010', 'USER_INITIATED', { ...names, timestamp: String(FAR_AHEAD) }));
    const openedMs = await windowOf('+447700900010');
    assert.ok(openedMs !== undefined && openedMs <= Date.now(), 'of a call in the future from when it was told');
    assert.equal(await windowOf('GB.ENT.1010'), openedMs);
  });

  it('a call of ours opens the window once the person accepts it', async () => {
    const tell = (status: string, recipient: object) => {
      const statuses = [{ id: 'wacid.ours', type: 'call', status, timestamp: String(NOON), ...recipient }];
      return post(changeBody(line, 'calls', { metadata: { phone_number_id: line.phoneNumberId }, statuses }));
    };
    for (const status of ['RINGING', 'REJECTED']) await tell(status, { recipient_id: '447700900025' });
    assert.equal(await windowOf('+447700900025'), undefined);
    await tell('ACCEPTED', { recipient_id: '447700900025', recipient_user_id: 'GB.2525' });
    assert.deepEqual([await windowOf('+447700900025'), await windowOf('GB.2525')], [NOON * 1_000, NOON * 1_000]);
  });

  it('a message that another sender on the number answers opens the window, and is not told as ours', async () => {
    const overhear = (phone: string, id: string, more: object = {}) => {
      const messages = [textFrom(phone, id, { timestamp: String(NOON), ...more })];
      return post(
        changeBody(line, 'standby', { metadata: { phone_number_id: line.phoneNumberId }, standby: { messages } }),
      );
    };
    await overhear('+447700900026', 'wamid.w26', { from_user_id: 'GB.2626', from_parent_user_id: 'GB.ENT.2626' });
    await overhear('+447700900027', 'wamid.w27', { group_id: 'GROUP-EXAMPLE-1' });
    assert.deepEqual([await windowOf('+447700900026'), await windowOf('+447700900027')], [NOON * 1_000, undefined]);
    assert.equal(await windowOf('GB.ENT.2626'), NOON * 1_000);
    assert.deepEqual((await gateway.call('GET', '/api/v1/messages?message_id=wamid.w26')).json.data, []);
  });

  it('the window is found by the parent user id too, whichever name the person has in the later message', async () => {
    const [phone, userId, parent] = ['+447700900022', 'GB.2222', 'GB.ENT.2222'];
    await write(phone, 'wamid.w22', NOON, { from_user_id: userId, from_parent_user_id: parent });
    assert.equal(await windowOf(parent), NOON * 1_000);
    await write(phone, 'wamid.w23', NOON + 10);
    await write(phone, 'wamid.w24', NOON + 20, { from: undefined, from_user_id: userId });
    assert.equal(await windowOf(parent), (NOON + 20) * 1_000);
    assert.equal(await windowOf('GB.ENT.2424'), undefined);
  });
});

it('a window is open for 24 hours, and none is known of who has never written', () => {
  const [lastAt, dayMs] = [new Date(NOON * 1_000), 86_400_000];
  assert.deepEqual(
    [0, dayMs - 1, dayMs].map((ms) => isWindowOpen(lastAt, NOON * 1_000 + ms)),
    [true, true, false],
  );
  assert.equal(isWindowOpen(undefined, NOON * 1_000), false);
});
