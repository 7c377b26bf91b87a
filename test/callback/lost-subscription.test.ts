import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { pino } from 'pino';
import { createSandbox, type Sandbox } from '../../sandbox/server.ts';
import { scrapeOf } from '../observe/exposition.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { registerCallback } from '../support/register-callback.ts';
import { until } from '../support/until.ts';

const APP_SECRET = 'the secret of the app at the live provider';
const TOKEN = 'a-live-token';
const BUSINESS_ACCOUNT = '2001';

let provider: Sandbox;
let gateway: TestGateway;
let key: string;
const lines: Record<string, unknown>[] = [];
before(async () => {
  provider = await createSandbox({ port: 0, appSecret: APP_SECRET });
  gateway = await startTestGateway({
    settings: { WAYPOST_PROVIDER_URL: provider.url, WAYPOST_APP_SECRETS: APP_SECRET },
    log: pino({}, { write: (line) => void lines.push(JSON.parse(line)) }),
  });
  await registerCallback(provider.url, APP_SECRET, gateway.url);
  key = await gateway.createKey({ mode: 'live' });
});
after(async () => {
  await gateway.stop();
  await provider.close();
});

async function connect(): Promise<string> {
  const body = {
    phone_number_id: '4711',
    business_account_id: BUSINESS_ACCOUNT,
    display_phone_number: '+15550784711',
    access_token: TOKEN,
    mode: 'live',
  };
  const path = `/platform/v1/accounts/${gateway.accountId}/channels`;
  return (await gateway.call('POST', path, { key: gateway.platformKey, body })).json.id;
}

/** Sends a message that is read soon, if anything is reported about it. Returns what tells its status. */
async function send(): Promise<() => Promise<string>> {
  const body = { to: '+447700900601', type: 'text', text: { body: 'Hello' } };
  const { json } = await gateway.call('POST', '/api/v1/messages/send', { key, body });
  const path = `/api/v1/messages/${json.results[0].id}`;
  return async () => (await gateway.call('GET', path, { key })).json.status;
}

async function atProvider(method: string): Promise<unknown[]> {
  const headers = { authorization: `Bearer ${TOKEN}` };
  const answer = await fetch(`${provider.url}/v25.0/${BUSINESS_ACCOUNT}/subscribed_apps`, { method, headers });
  return Object(await answer.json()).data;
}

const asked = async (outcome: string) =>
  (await scrapeOf(gateway)).sum('waypost_provider_asks_total', { ask: 'subscription', outcome });

it('a subscription that somebody took away at the provider is made again within the hour, and seen', async () => {
  const id = await connect();
  // The provider's stand-in learns by this which business account the number belongs to.
  await until(async () => (await gateway.call('GET', '/api/v1/templates', { key })).json.data?.length > 0);
  const before = await send();
  await until(async () => (await before()) === 'read');

  await atProvider('DELETE');
  const lost = await send();
  assert.deepEqual([await asked('subscribed'), await asked('resubscribed'), await asked('lost')], [0, 0, 0]);
  await gateway.database.query("update channel set facts_read_at = now() - interval '61 minutes' where mode = 'live'");
  await until(async () => (await asked('resubscribed')) === 1);
  assert.equal((await atProvider('GET')).length, 1);
  const seen = lines.filter(({ msg }) => msg === 'channel.resubscribed');
  assert.deepEqual(
    seen.map(({ level, account_id, channel_id }) => [level, account_id, channel_id]),
    [[40, gateway.accountId, id]],
  );

  const after = await send();
  await until(async () => (await after()) === 'read');
  assert.equal(await lost(), 'accepted', 'the provider reports nothing of that time later');
});
