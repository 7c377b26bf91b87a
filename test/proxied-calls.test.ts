import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createSandbox } from '../sandbox/server.ts';
import { startTestGateway } from './support/gateway.ts';
import { startHttpProxy } from './support/http-proxy.ts';

const PROVIDER = 'graph.example:80';
const ENDPOINT = '93.184.216.34:443';

it('what a gateway with a proxy calls in the world is called through it, and what is on its machine is not', async (t) => {
  const provider = await createSandbox({ port: 0, appSecret: 'unused', statuses: 'off' });
  const port = Number(new URL(provider.url).port);
  const proxy = await startHttpProxy((authority) => (authority === PROVIDER ? { port } : { refuse: 502 }));
  const gateway = await startTestGateway({
    settings: {
      WAYPOST_PROVIDER_URL: `http://${PROVIDER}`,
      WAYPOST_PROXY_URL: proxy.url.replace('//', '//gateway:of-the-proxy@'),
    },
  });
  t.after(async () => {
    await gateway.stop();
    await provider.close();
    proxy.close();
  });
  const asked = () => new Set(proxy.asked.map(({ authority }) => authority));

  const text = { type: 'text', text: { body: 'Hello' } };
  const { json: tested } = await gateway.call('POST', '/api/v1/messages/send', {
    body: { to: '+447700900001', ...text },
  });
  assert.equal(tested.accepted_count, 1);
  assert.deepEqual(asked(), new Set(), 'the sandbox is on this machine');

  const channel = {
    phone_number_id: '4711',
    business_account_id: '2001',
    display_phone_number: '+15550784711',
    access_token: 'a-token',
    mode: 'live',
  };
  const path = `/platform/v1/accounts/${gateway.accountId}/channels`;
  assert.equal((await gateway.call('POST', path, { key: gateway.platformKey, body: channel })).status, 201);
  const key = await gateway.createKey({ mode: 'live' });
  const { json: sent } = await gateway.call('POST', '/api/v1/messages/send', {
    key,
    body: { to: '+447700900001', ...text },
  });
  assert.equal(sent.accepted_count, 1, JSON.stringify(sent));
  assert.deepEqual(asked(), new Set([PROVIDER]));

  const body = { url: `https://${ENDPOINT}/hook` };
  const { json: endpoint } = await gateway.call('POST', '/api/v1/endpoints', { key, body });
  const { json: attempt } = await gateway.call('POST', `/api/v1/endpoints/${endpoint.id}/test`, { key });
  assert.equal(attempt.error, 'refused');
  assert.deepEqual(asked(), new Set([PROVIDER, ENDPOINT]));
  const authorization = `Basic ${Buffer.from('gateway:of-the-proxy').toString('base64')}`;
  assert.deepEqual(new Set(proxy.asked.map((one) => one.authorization)), new Set([authorization]));
});
