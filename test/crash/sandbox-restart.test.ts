import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { startSandbox } from '../../src/start-sandbox.ts';
import { startReceiver } from '../endpoints/receiver.ts';
import { listMessages, phoneNumbers, sendText } from '../support/call-gateway.ts';
import { createTestDatabase } from '../support/database.ts';
import { startGatewayProcess } from '../support/process.ts';
import { startSandboxBeside } from '../support/sandbox-beside.ts';
import { until } from '../support/until.ts';

it('a sandbox that runs by itself and is started anew is told again where its notifications go', async (t) => {
  const receiver = await startReceiver();
  t.after(() => receiver.close());
  const first = await startSandboxBeside();
  const { WAYPOST_SANDBOX_PORT, WAYPOST_SANDBOX_APP_SECRET: appSecret } = first.settings;
  const place = { port: Number(WAYPOST_SANDBOX_PORT), appSecret };
  // What a gateway does with a sandbox that it finds.
  const found = await startSandbox({ ...place, dataDir: tmpdir(), log: { error: assert.fail } });
  t.after(() => found.stop());
  await found.register(receiver.url);
  await first.stop();
  const second = await startSandboxBeside(place);
  t.after(() => second.stop());
  const notify = () => fetch(`${second.url}/_sandbox/notifications`, { method: 'POST', body: '{}' });
  await until(async () => (await notify()).ok && receiver.received.length > 0);
});

it('a gateway that used the sandbox of the one before it has one of its own when that one has stopped', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'waypost-sandbox-'));
  t.after(() => rm(dataDir, { recursive: true, force: true, maxRetries: 3 }));
  const { url, drop } = await createTestDatabase();
  t.after(drop);
  const before = await startGatewayProcess(dataDir, { DATABASE_URL: url });
  t.after(() => before.kill());
  const { port } = new URL(before.dev.sandbox_url ?? '');
  const after = await startGatewayProcess(dataDir, { DATABASE_URL: url, WAYPOST_SANDBOX_PORT: port });
  t.after(() => after.kill());
  assert.equal(await before.stop(), 0);
  await until(async () => (await sendText(after.dev, phoneNumbers(0, 1))).json.accepted_count === 1);
  await until(async () => (await listMessages(after.dev, 'status=read')).length === 1);
  assert.equal(await after.stop(), 0);
  await assert.rejects(fetch(`${before.dev.sandbox_url}/_sandbox/health`));
});
