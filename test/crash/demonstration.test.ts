import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { createTestDatabase } from '../support/database.ts';
import { freePort } from '../support/free-port.ts';
import { startGatewayProcess } from '../support/process.ts';

it('production warns of the key that a development start has printed, until that key is revoked', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'waypost-start-'));
  t.after(() => rm(dataDir, { recursive: true, force: true, maxRetries: 3 }));
  const { url: DATABASE_URL, drop } = await createTestDatabase();
  t.after(drop);
  const WAYPOST_MASTER_KEY = randomBytes(32).toString('base64');
  // Nothing is sent, so no sandbox is started.
  const shared = { DATABASE_URL, WAYPOST_MASTER_KEY, WAYPOST_SANDBOX: 'off' };
  const tried = await startGatewayProcess(dataDir, shared);
  t.after(() => tried.kill());
  assert.equal(await tried.stop(), 0);

  const PORT = String(await freePort());
  const url = `http://127.0.0.1:${PORT}`;
  const platformKey = `wp_root_${randomBytes(24).toString('hex')}`;
  const production = {
    ...shared,
    PORT,
    NODE_ENV: 'production',
    WAYPOST_PUBLIC_URL: url,
    WAYPOST_APP_SECRETS: randomBytes(16).toString('hex'),
    WAYPOST_VERIFY_TOKENS: randomBytes(16).toString('hex'),
    WAYPOST_PLATFORM_KEYS: platformKey,
  };
  const call = (method: string, path: string, key: string) =>
    fetch(`${url}${path}`, { method, headers: { authorization: `Bearer ${key}` } });

  const warned = await startGatewayProcess(dataDir, production);
  t.after(() => warned.kill());
  const line = warned.output().match(/^.*demonstration\.key_works.*$/m)?.[0];
  assert.ok(line, 'it warns');
  assert.ok(!line.includes(tried.dev.test_key));
  const { level, account_id, ended_by } = JSON.parse(line);
  assert.deepEqual([level, account_id], [40, tried.dev.account_id]);
  assert.equal((await call('GET', '/api/v1/account', tried.dev.test_key)).status, 200, 'what it warns of is so');
  const [method = '', path = ''] = ended_by.split(' ');
  assert.equal((await call(method, path, platformKey)).status, 204, 'what it advises works');
  assert.equal(await warned.stop(), 0);

  const quiet = await startGatewayProcess(dataDir, production);
  t.after(() => quiet.kill());
  assert.ok(!quiet.output().includes('demonstration.key_works'));
  assert.equal((await call('GET', '/api/v1/account', tried.dev.test_key)).status, 401);
  assert.equal(await quiet.stop(), 0);
});
