import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startTestGateway } from '../support/gateway.ts';
import { addChannel } from '../support/notifications.ts';
import { startListingServer } from './listing-server.ts';

it('a template that cannot be read because the token is refused suspends the channel, and the next send says so', async (t) => {
  const provider = await startListingServer();
  t.after(() => provider.close());
  provider.answer = (_, { url }) =>
    url?.includes('/message_templates')
      ? { status: 401, body: { error: { code: 190, message: 'The session has expired' } } }
      : { status: 503, body: '' };
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
