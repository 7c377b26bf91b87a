import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import {
  addChannel,
  asSandbox,
  changeBody,
  isProcessed,
  lineOf,
  messagesBody,
  postSigned,
  textFrom,
} from '../../test/support/notifications.ts';
import { until } from '../../test/support/until.ts';

const ADA = '+447700900555';

describe('where a notification goes', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.stop());

  const post = async (body: object) => {
    assert.equal((await postSigned(asSandbox(gateway), body)).status, 200);
    await until(() => isProcessed(gateway));
  };
  const ownersOf = async (messageId: string) => {
    const sql = 'select account_id from message where provider_message_id = $1';
    const rows = await gateway.database.query<{ account_id: string }>(sql, [messageId]);
    return rows.map((row) => row.account_id);
  };

  it('is the account that has the number at that moment, and no longer the one before', async () => {
    const line = await lineOf(gateway);
    const write = (id: string) => post(messagesBody(line, { messages: [textFrom(ADA, id)] }));
    await write('wamid.before');
    const [channel] = (await gateway.call('GET', '/api/v1/channels')).json.data;
    const removed = await gateway.call('DELETE', `/platform/v1/channels/${channel.id}`, { key: gateway.platformKey });
    assert.equal(removed.status, 204);
    await write('wamid.between');
    const other = await gateway.createAccount('Other');
    await addChannel(gateway, { ...line, accountId: other, mode: 'test' });
    await write('wamid.after');
    assert.deepEqual(await ownersOf('wamid.before'), [gateway.accountId]);
    assert.deepEqual(await ownersOf('wamid.between'), []);
    assert.deepEqual(await ownersOf('wamid.after'), [other]);
  });

  it('is not the account that the number has moved to, if the one before has received the same message already', async () => {
    const [first, next] = [await gateway.createAccount('Before'), await gateway.createAccount('Next')];
    const line = await lineOf(gateway, first);
    const write = (...ids: string[]) => post(messagesBody(line, { messages: ids.map((id) => textFrom(ADA, id)) }));
    await write('wamid.moved');
    const path = `/platform/v1/accounts/${first}/channels`;
    const [channel] = (await gateway.call('GET', path, { key: gateway.platformKey })).json.data;
    await gateway.call('DELETE', `/platform/v1/channels/${channel.id}`, { key: gateway.platformKey });
    await addChannel(gateway, { ...line, accountId: next, mode: 'test' });
    const knownTo = (accountId: string) =>
      gateway.database.query('select 1 from customer_window where account_id = $1', [accountId]);
    await write('wamid.moved');
    assert.deepEqual(await ownersOf('wamid.moved'), [first]);
    assert.deepEqual(await knownTo(next), [], 'nor when the person wrote');
    await write('wamid.moved', 'wamid.beside-moved');
    assert.deepEqual(await ownersOf('wamid.moved'), [first]);
    assert.deepEqual(await ownersOf('wamid.beside-moved'), [next]);
    assert.equal((await knownTo(next)).length, 1);
  });

  it('is every account that has a channel in the business account at that moment', async () => {
    const [first, second] = [await gateway.createAccount('First'), await gateway.createAccount('Second')];
    const line = await lineOf(gateway, first);
    const tell = (event: string) =>
      post(changeBody(line, 'account_update', { event, ban_info: { waba_ban_state: 'SCHEDULE_FOR_DISABLE' } }));
    const toldTo = async (accountId: string) => {
      const sql = `select data->'channel'->'restriction'->>'event' as event from event where account_id = $1 order by sequence`;
      return (await gateway.database.query<{ event: string }>(sql, [accountId])).map(({ event }) => event);
    };
    await tell('FIRST_WARNING');
    const channel = { ...line, phoneNumberId: '900000000000031', phoneNumber: '+447700900931' };
    await addChannel(gateway, { ...channel, accountId: second, mode: 'test' });
    await tell('SECOND_WARNING');
    assert.deepEqual(await toldTo(first), ['first_warning', 'second_warning']);
    assert.deepEqual(await toldTo(second), ['second_warning']);
  });
});
