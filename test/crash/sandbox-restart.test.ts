import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { listMessages, phoneNumbers, sendText } from '../support/call-gateway.ts';
import { createTestDatabase } from '../support/database.ts';
import { startGatewayProcess } from '../support/process.ts';
import { startSandboxBeside } from '../support/sandbox-beside.ts';
import { until } from '../support/until.ts';

it('a sandbox that runs by itself and is started anew is told again where its notifications go', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'waypost-sandbox-'));
  t.after(() => rm(dataDir, { recursive: true, force: true, maxRetries: 3 }));
  const { url, drop } = await createTestDatabase();
  t.after(drop);
  const first = await startSandboxBeside();
  const gateway = await startGatewayProcess(dataDir, { DATABASE_URL: url, ...first.settings });
  t.after(() => gateway.kill());
  await first.stop();
  const { WAYPOST_SANDBOX_PORT: port, WAYPOST_SANDBOX_APP_SECRET: appSecret } = first.settings;
  const second = await startSandboxBeside({ port: Number(port), appSecret });
  t.after(() => second.stop());
  assert.equal((await sendText(gateway.dev, phoneNumbers(0, 1))).json.accepted_count, 1);
  await until(async () => (await listMessages(gateway.dev, 'status=read')).length === 1);
  assert.equal(await gateway.stop(), 0);
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
