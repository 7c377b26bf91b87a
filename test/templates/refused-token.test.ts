import assert from 'node:assert/strict';
import { it } from 'node:test';
import { formatId } from '../../src/kernel/ids.ts';
import { startTestGateway } from '../support/gateway.ts';
import { addChannel } from '../support/notifications.ts';
import { assertProblem } from '../support/problem.ts';
import { until } from '../support/until.ts';
import { connectLine } from './connect-line.ts';
import { listed, pageOf, startListingServer } from './listing-server.ts';

const REFUSED = { status: 401, body: { error: { code: 190, message: 'The session has expired' } } };

it('a template that cannot be read because the token is refused suspends the channel, and the next send says so', async (t) => {
  const provider = await startListingServer();
  t.after(() => provider.close());
  provider.answer = (_, { url }) => (url?.includes('/message_templates') ? REFUSED : { status: 503, body: '' });
  const gateway = await startTestGateway({ settings: { WAYPOST_PROVIDER_URL: provider.url } });
  t.after(() => gateway.stop());
  const { accountId } = gateway;
  const number = { phoneNumberId: '101', businessAccountId: '201', phoneNumber: '+15550790001' };
  await addChannel(gateway, { accountId, mode: 'live', ...number });
  const key = await gateway.createKey({ mode: 'live' });
  const body = { to: '+447700900123', type: 'template', template: { name: 'order', language: 'en_US' } };
  await gateway.call('POST', '/api/v1/messages/send', { key, body });
  const [channel] = (await gateway.call('GET', '/api/v1/channels', { key })).json.data;
  assert.equal(channel.status, 'suspended');
  const { json } = await gateway.call('POST', '/api/v1/messages/send', { key, body });
  assert.equal(json.results[0].error.code, 'sender_suspended');
  const events = (await gateway.call('GET', '/api/v1/events', { key })).json.data;
  assert.deepEqual(
    events.filter(({ type }: { type: string }) => type === 'channel.updated').length,
    1,
    'its account is told once',
  );
});

it('to read all templates is 503 as long as a business account has no connected channel, and reads those of the others', async (t) => {
  const provider = await startListingServer();
  t.after(() => provider.close());
  provider.answer = (query) => pageOf([listed('of_the_first')], query);
  const gateway = await startTestGateway({ settings: { WAYPOST_PROVIDER_URL: provider.url } });
  t.after(() => gateway.stop());
  const connect = (number: number) => connectLine(gateway, number);
  const id = formatId('chn', await connect(1));
  const key = await gateway.createKey({ mode: 'live' });
  const sync = () => gateway.call('POST', '/api/v1/templates/sync', { key });
  const names = async () => {
    const { data } = (await gateway.call('GET', '/api/v1/templates', { key })).json;
    return data.map(({ name }: { name: string }) => name).sort();
  };
  assert.equal((await sync()).json.total, 1);

  provider.answer = () => REFUSED;
  assertProblem(await sync(), 'unavailable');
  assert.equal((await gateway.call('GET', '/api/v1/channels', { key })).json.data[0].status, 'suspended');
  assertProblem(await sync(), 'unavailable');
  assert.deepEqual(await names(), ['of_the_first']);

  provider.answer = (query) => pageOf([listed('of_the_second')], query);
  await connect(2);
  await until(async () => (await names()).length === 2);
  provider.answer = (query) => pageOf([listed('of_the_second'), listed('new')], query);
  assertProblem(await sync(), 'unavailable');
  assert.deepEqual(await names(), ['new', 'of_the_first', 'of_the_second']);

  await gateway.call('DELETE', `/platform/v1/channels/${id}`, { key: gateway.platformKey });
  const { status, json } = await sync();
  assert.deepEqual([status, json.total], [200, 2]);
});
