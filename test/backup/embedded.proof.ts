import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { listMessages, phoneNumbers, readApi, sendText } from '../support/call-gateway.ts';
import { startGatewayProcess } from '../support/process.ts';
import { startSandboxProcess } from '../support/sandbox-process.ts';
import { until } from '../support/until.ts';

/** The sandbox takes a message to this number, and does not answer for a minute. */
const SILENT = '+15552000003';
const run = promisify(execFile);

it('a gateway starts on a backup made while it ran, and sends nothing twice', async (t) => {
  const dir = await makeDir(t);
  const [dataDir, backupDir] = [join(dir, 'data'), join(dir, 'backup')];
  const sandbox = await startSandboxProcess({ WAYPOST_SANDBOX_STATUSES: 'off' });
  t.after(() => sandbox.stop());
  const first = await startGatewayProcess(dataDir, sandbox.settings);
  t.after(() => first.kill());
  assert.equal((await sendText(first.dev, phoneNumbers(0, 5))).json.accepted_count, 5);
  const underWay = sendText(first.dev, [SILENT]).catch(() => 'the gateway was killed');
  await until(async () => (await sandbox.transmits()).length === 6);

  let sending = true;
  const answeredMs: number[] = [];
  const sender = async () => {
    while (sending) {
      assert.equal((await sendText(first.dev, phoneNumbers(1, 1))).json.accepted_count, 1);
      answeredMs.push(Date.now());
    }
  };
  const senders = [sender(), sender()];
  const { stdout } = await backUp(dataDir, backupDir);
  sending = false;
  await Promise.all(senders);
  const upToMs = Date.parse(/with everything up to (\S+)\. /.exec(stdout)?.[1] ?? '');
  const before = answeredMs.filter((ms) => ms < upToMs).length;
  const sent = answeredMs.length;
  assert.ok(before > 0, 'sends went on meanwhile');
  // The server puts it away at its start. It says where the log begins that makes the copied files whole.
  assert.match(await readFile(join(backupDir, 'postgres', 'cluster', 'backup_label'), 'utf8'), /^START WAL LOCATION/);
  await first.kill();
  assert.equal(await underWay, 'the gateway was killed');
  const transmits = (await sandbox.transmits()).length;

  await assert.rejects(backUp(dataDir, backupDir), /is not empty/);
  const wrongKey = { ...sandbox.settings, WAYPOST_MASTER_KEY: randomBytes(32).toString('base64') };
  await assert.rejects(startGatewayProcess(backupDir, wrongKey), /The master key does not open what is stored/);

  const restored = await startGatewayProcess(backupDir, sandbox.settings);
  t.after(() => restored.kill());
  assert.equal(restored.dev.test_key, first.dev.test_key);
  const messages = await listMessages(restored.dev, 'direction=outbound');
  t.diagnostic(JSON.stringify({ before, sent, restored: messages.length - 6 }));
  assert.ok(
    messages.length >= 6 + before && messages.length <= 6 + sent,
    'what was answered before its moment is there',
  );
  const [silent] = (await readApi(restored.dev, `/api/v1/messages?to=${encodeURIComponent(SILENT)}`)).json.data;
  assert.equal(silent.status, 'unknown', 'what was transmitting');
  assert.equal((await sandbox.transmits()).length, transmits, 'nothing was sent again');
  assert.equal((await sendText(restored.dev, phoneNumbers(2, 1))).json.accepted_count, 1);
  assert.equal(await restored.stop(), 0);
});

it('a backup is made of a gateway that is stopped, and of one that was killed', async (t) => {
  const dir = await makeDir(t);
  const dataDir = join(dir, 'data');
  const gateway = await startGatewayProcess(dataDir);
  t.after(() => gateway.kill());
  assert.equal((await sendText(gateway.dev, phoneNumbers(0, 3))).json.accepted_count, 3);
  await gateway.kill();
  await backUp(dataDir, join(dir, 'killed'));
  const restored = await startGatewayProcess(join(dir, 'killed'));
  t.after(() => restored.kill());
  assert.equal((await listMessages(restored.dev, 'direction=outbound')).length, 3);
  assert.equal(await restored.stop(), 0);
  await backUp(join(dir, 'killed'), join(dir, 'stopped'));
  assert.ok((await readdir(join(dir, 'stopped', 'postgres', 'cluster'))).includes('PG_VERSION'));
});

const notRoot = process.getuid?.() !== 0 && 'only root has this difficulty';

it('a database where root alone may enter is not taken for none', { skip: notRoot }, async (t) => {
  const dir = await makeDir(t, 0o700);
  await cp('/etc/hostname', join(dir, 'data', 'postgres', 'cluster', 'PG_VERSION'));
  await assert.rejects(startGatewayProcess(join(dir, 'data')), /There is a database in .*Move the data folder/);
});

function backUp(dataDir: string, targetDir: string) {
  const env = { PATH: process.env.PATH, WAYPOST_DATA_DIR: dataDir };
  return run(process.execPath, ['scripts/backup.ts', targetDir], { env });
}

async function makeDir(t: TestContext, mode = 0o711): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'waypost-backup-'));
  await chmod(dir, mode);
  t.after(() => rm(dir, { recursive: true, force: true, maxRetries: 3 }));
  return dir;
}
