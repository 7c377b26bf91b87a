import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import {
  addChannel,
  forgetNotifications,
  lineOf,
  listNotifications,
  messagesBody,
  postAndApply,
  readMessage,
  sendOne,
  statusOf,
  type TestLine,
  textFrom,
} from '../../test/support/notifications.ts';
import { until } from '../../test/support/until.ts';

/** The sandbox reads the message, does not take it and resets the connection. */
const UNKNOWN_FOR_EVER = '+15552000001';
const ADA = '+447700900555';
const BOB = '+447700900556';

describe('a number that was removed and is connected again', () => {
  let gateway: TestGateway;
  let line: TestLine;
  before(async () => {
    gateway = await startTestGateway({ sandbox: { statuses: 'off' } });
    line = await lineOf(gateway);
  });
  after(() => gateway.stop());
  beforeEach(() => forgetNotifications(gateway));

  const post = (value: object) => postAndApply(gateway, messagesBody(line, value));
  const remove = async () => {
    const path = `/platform/v1/accounts/${gateway.accountId}/channels`;
    const { data } = (await gateway.call('GET', path, { key: gateway.platformKey })).json;
    const channel = data.find(({ status }: { status: string }) => status === 'connected');
    const removed = await gateway.call('DELETE', `/platform/v1/channels/${channel.id}`, { key: gateway.platformKey });
    assert.equal(removed.status, 204);
  };
  const connectTo = (accountId: string) => addChannel(gateway, { ...line, accountId, mode: 'test' });
  const connectAgain = async () => {
    await remove();
    await connectTo(gateway.accountId);
  };
  const statusNow = async (id: string): Promise<string> => (await readMessage(gateway, id)).status;
  const receivedAs = async (providerId: string) =>
    (await gateway.call('GET', `/api/v1/messages?message_id=${providerId}`)).json.data;

  it('settles what had gone out from it before, by either id', async () => {
    const [sent, unknown] = [await sendOne(gateway), await sendOne(gateway, UNKNOWN_FOR_EVER)];
    await connectAgain();
    await connectAgain();
    const messageId = unknown.id;
    await post({
      statuses: [
        statusOf('delivered', { providerId: sent.message_id }),
        statusOf('read', { providerId: 'wamid.told-later', messageId }),
      ],
    });
    assert.deepEqual([await statusNow(sent.id), await statusNow(unknown.id)], ['delivered', 'read']);
    assert.equal((await readMessage(gateway, unknown.id)).message_id, 'wamid.told-later');
  });

  it('settles what was reported while no channel had it, once that is reprocessed', async () => {
    const { id, message_id: providerId } = await sendOne(gateway);
    await remove();
    await post({ statuses: [statusOf('delivered', { providerId })] });
    const [setAside] = await listNotifications(gateway);
    assert.equal(setAside?.error, 'no_channel');
    await connectTo(gateway.accountId);
    const path = `/platform/v1/notifications/${setAside?.id}/reprocess`;
    assert.equal((await gateway.call('POST', path, { key: gateway.platformKey })).status, 202);
    await until(async () => (await listNotifications(gateway))[0]?.state === 'applied');
    assert.equal(await statusNow(id), 'delivered');
  });

  it('still knows who wrote to it within 24 hours', async () => {
    const timestamp = String(Math.floor(Date.now() / 1_000));
    await post({ messages: [textFrom(ADA, 'wamid.before-removal', { timestamp })] });
    const warningsNow = async () => {
      const body = { to: ADA, type: 'text', text: { body: 'Hello' } };
      return (await gateway.call('POST', '/api/v1/messages/validate', { body })).json.results[0].warnings;
    };
    assert.equal(await warningsNow(), undefined);
    await connectAgain();
    assert.equal(await warningsNow(), undefined);
  });

  it('takes no second message from what a person wrote to it before', async () => {
    const written = { messages: [textFrom(ADA, 'wamid.repeated')] };
    await post(written);
    const [first] = await receivedAs('wamid.repeated');
    await connectAgain();
    await post({ messages: [textFrom(ADA, 'wamid.repeated'), textFrom(ADA, 'wamid.beside-repeated')] });
    assert.deepEqual(
      (await receivedAs('wamid.repeated')).map(({ id }: { id: string }) => id),
      [first.id],
    );
    assert.equal((await receivedAs('wamid.beside-repeated')).length, 1);
    const beside = { ...line, phoneNumberId: '5550196', phoneNumber: '+15550000196' };
    await addChannel(gateway, { ...beside, accountId: gateway.accountId, mode: 'test' });
    for (const number of [beside, line])
      await postAndApply(gateway, messagesBody(number, { messages: [textFrom(ADA, 'wamid.to-both')] }));
    assert.equal((await receivedAs('wamid.to-both')).length, 2, 'what another number of the account has received');
    await remove();
  });

  it('links an answer to what had gone out from it before', async () => {
    const { id, message_id: providerId } = await sendOne(gateway);
    await connectAgain();
    await post({ messages: [textFrom(ADA, 'wamid.answer', { context: { id: providerId, from: '15550100200' } })] });
    const [answer] = await receivedAs('wamid.answer');
    assert.deepEqual(answer.reply_to, { id, message_id: providerId });
  });

  it('tells another account nothing, and settles nothing by what came for that one', async () => {
    const { id, message_id: providerId } = await sendOne(gateway);
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const written = { messages: [textFrom(BOB, 'wamid.to-the-first', { timestamp })] };
    await post(written);
    await remove();
    const other = await gateway.createAccount('Other');
    await connectTo(other);
    await post(written);
    const body = { to: BOB, from: line.phoneNumber, type: 'text', text: { body: 'Hello' } };
    const key = await gateway.createKey({ accountId: other });
    const [{ warnings }] = (await gateway.call('POST', '/api/v1/messages/validate', { key, body })).json.results;
    assert.equal(warnings[0].code, 'window_not_known', 'nor who wrote to that one, when the provider repeats it');
    await forgetNotifications(gateway);
    await post({ statuses: [statusOf('read', { providerId, messageId: id })] });
    assert.equal(await statusNow(id), 'accepted');
    const [waiting] = await listNotifications(gateway);
    assert.deepEqual([waiting?.state, waiting?.error], ['waiting', 'unknown_message']);
  });
});
