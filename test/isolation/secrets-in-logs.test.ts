import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { callApi } from '../support/call-api.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type GatewayProcess, startGatewayProcess } from '../support/process.ts';

let database: TestDatabase;
let folder: string;
let gateway: GatewayProcess;
before(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), 'waypost-logs-'));
  const settings = {
    DATABASE_URL: database.url,
    WAYPOST_LOG_LEVEL: 'trace',
    WAYPOST_PROVIDER_URL: 'http://127.0.0.1:9',
  };
  gateway = await startGatewayProcess(folder, settings);
});
after(async () => {
  await gateway.stop();
  await database.drop();
  await rm(folder, { recursive: true });
});

describe('the logs', () => {
  it('hold no key, token or number, wherever a caller has put it', async () => {
    const { base_url: url, test_key: key, platform_key: platformKey, account_id: accountId } = gateway.dev;
    const welcome = gateway.output();
    for (const name of ['key', 'api_key', 'access_token', 'authorization']) {
      const path = `/api/v1/account?${name}=${key}`;
      assert.equal((await callApi(url, 'GET', path, { key: null })).status, 401);
      // If the header has a key, the key in the query is a fault, and the answer must not repeat it.
      const faulty = await callApi(url, 'GET', path, { key });
      assert.equal(faulty.status, 422);
      assert.ok(!faulty.text.includes(key));
    }
    await callApi(url, 'GET', `/api/v1/${key}`, { key });
    const token = 'refused-token-4711';
    const channel = {
      phone_number_id: '4711',
      business_account_id: '4712',
      display_phone_number: '+15550784711',
      access_token: token,
    };
    for (const [mode, status] of [
      ['test', 422],
      ['live', 503],
    ] as const) {
      const path = `/platform/v1/accounts/${accountId}/channels`;
      assert.equal((await callApi(url, 'POST', path, { key: platformKey, body: { ...channel, mode } })).status, status);
    }
    const erase = `/platform/v1/accounts/${accountId}/erase`;
    await callApi(url, 'POST', erase, { key: platformKey, body: { to: '+447700900933' } });
    const send = { to: ['+447700900933', '+15550000190'], type: 'text', text: { body: 'Hello' } };
    assert.equal((await callApi(url, 'POST', '/api/v1/messages/send', { key, body: send })).status, 200);
    const logged = gateway.output().slice(welcome.length);
    for (const secret of [key, platformKey, token, '7700900933', '5550784711'])
      assert.ok(!logged.includes(secret), `The log holds ${secret}`);
  });

  // This test is the last one, because it ends the gateway.
  it('hold nothing that an error carries along which ends the gateway, and say what it was', async () => {
    const before = gateway.output().length;
    await database.database.query(`
      create function spoil() returns trigger language plpgsql as $$
      begin raise exception 'spoiled' using detail = 'Failing row contains (+447700900933).'; end $$`);
    await database.database.query('create trigger spoil before update on node for each row execute function spoil()');
    const code = await new Promise((resolve) => gateway.child.once('exit', resolve));
    assert.equal(code, 1);
    const logged = gateway.output().slice(before);
    assert.match(logged, /spoiled/);
    assert.ok(!logged.includes('7700900933'), logged);
  });
});
