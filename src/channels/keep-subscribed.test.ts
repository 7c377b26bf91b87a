import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { pino } from 'pino';
import { createSandbox, type Sandbox } from '../../sandbox/server.ts';
import { startListingServer } from '../../test/templates/listing-server.ts';
import { formatId, newId } from '../kernel/ids.ts';
import type { Provider } from '../provider/port.ts';
import { createWhatsAppProvider } from '../provider/whatsapp/client/client.ts';
import { createKeepSubscribed, type KeepSubscribed } from './keep-subscribed.ts';

const HOUR_MS = 3_600_000;
const TOKEN = 'a-token';
const log = pino({}, { write: (line) => void lines.push(JSON.parse(line)) });

const providerAt = (url: string) =>
  createWhatsAppProvider({ live: { url, version: 'v25.0' }, timeoutMs: 5_000, connections: 4 });

let sandbox: Sandbox;
let provider: Provider;
let keepSubscribed: KeepSubscribed;
let lines: Record<string, unknown>[];
let nowMs: number;
beforeEach(async () => {
  sandbox = await createSandbox({ port: 0, appSecret: 'unused' });
  provider = providerAt(sandbox.url);
  lines = [];
  nowMs = 0;
  keepSubscribed = createKeepSubscribed(provider, log, { steadyMs: () => nowMs });
});
afterEach(async () => {
  await provider.close();
  await sandbox.close();
});

const apps = (businessAccountId: string, method: string) =>
  fetch(`${sandbox.url}/v25.0/${businessAccountId}/subscribed_apps`, {
    method,
    headers: { authorization: `Bearer ${TOKEN}` },
  });
const isSubscribed = async (businessAccountId: string) => {
  const { data } = Object(await (await apps(businessAccountId, 'GET')).json());
  return data.length === 1;
};
/** The facts of one number in the business account were read. Returns the id of its channel. */
async function look(businessAccountId: string, accessToken = TOKEN): Promise<string> {
  const id = newId();
  const sender = { accountId: newId(), mode: 'live' as const, phoneNumberId: '1001', accessToken };
  await keepSubscribed({ id, business_account_id: businessAccountId }, sender);
  return formatId('chn', id);
}
const told = () => lines.map(({ level, msg, channel_id }) => [level, msg, channel_id]);

describe('the subscription of a business account', () => {
  it('that was taken away is made again, and the log names a channel of it', async () => {
    await apps('2001', 'POST');
    await look('2001');
    assert.deepEqual(told(), [], 'nothing is told while all is well');
    await apps('2001', 'DELETE');
    nowMs += HOUR_MS;
    const channel = await look('2001');
    assert.ok(await isSubscribed('2001'));
    assert.deepEqual(told(), [[40, 'channel.resubscribed', channel]]);
  });

  it('is looked at once an hour, however many numbers it has', async () => {
    await Promise.all([look('2001'), look('2001'), look('2002')]);
    assert.equal(lines.length, 2);
    await apps('2001', 'DELETE');
    nowMs += HOUR_MS / 2;
    await look('2001');
    assert.ok(!(await isSubscribed('2001')));
    nowMs += HOUR_MS / 2;
    await look('2001');
    assert.ok(await isSubscribed('2001'));
  });

  it('that the provider does not tell by one token is looked at by the next', async () => {
    await look('2001', 'refused');
    assert.deepEqual(told(), []);
    const channel = await look('2001');
    assert.deepEqual(told(), [[40, 'channel.resubscribed', channel]]);
  });

  it('that cannot be made again is told as lost, and tried again an hour later', async (t) => {
    const refusing = await startListingServer();
    t.after(() => refusing.close());
    let success = false;
    refusing.answer = (_query, { method }) => ({ body: method === 'POST' ? { success } : { id: '42', data: [] } });
    const at = providerAt(refusing.url);
    t.after(() => at.close());
    keepSubscribed = createKeepSubscribed(at, log, { steadyMs: () => nowMs });
    const first = await look('2001');
    await look('2001');
    assert.deepEqual(told(), [[40, 'channel.subscription_lost', first]]);
    success = true;
    nowMs += HOUR_MS;
    const second = await look('2001');
    assert.deepEqual(told().slice(1), [[40, 'channel.resubscribed', second]]);
  });
});
