import assert from 'node:assert/strict';
import { type ExecFileOptions, execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { missingTools, TOOLS } from '../failover/postgres-tools.ts';
import { listMessages, phoneNumbers, sendText } from '../support/call-gateway.ts';
import { NOBODY } from '../support/nobody.ts';
import { startGatewayProcess } from '../support/process.ts';
import { startSandboxProcess } from '../support/sandbox-process.ts';

const run = promisify(execFile);
const missing = missingTools();

it('a gateway starts on a database restored from pg_dump, with its own master key only', {
  skip: missing,
}, async (t) => {
  const { first, dir, tool, url, dataDir, sandbox } = await startWorld(t);
  const dump = join(dir, 'waypost.dump');
  await tool('pg_dump', '--format=custom', `--file=${dump}`, 'waypost');
  await first.kill();
  await tool('createdb', 'restored');
  await tool('pg_restore', '--exit-on-error', '--dbname=restored', dump);
  const env = { ...sandbox.settings, DATABASE_URL: url('restored') };
  const wrongKey = { ...env, WAYPOST_MASTER_KEY: randomBytes(32).toString('base64') };
  await assert.rejects(startGatewayProcess(dataDir, wrongKey), /The master key does not open what is stored/);
  await assertServes(t, dataDir, env);
  assert.equal((await sandbox.transmits()).length, 4, 'three before, one after, nothing twice');
});

it('a gateway starts on a server restored from pg_basebackup', { skip: missing }, async (t) => {
  const { first, dir, tool, url, dataDir, sandbox } = await startWorld(t);
  await tool('pg_basebackup', '--checkpoint=fast', '--wal-method=stream', `--pgdata=${join(dir, 'base')}`);
  await first.kill();
  await tool('pg_ctl', 'stop', '--wait', `--pgdata=${join(dir, 'cluster')}`);
  await startServer(tool, dir, 'base');
  await assertServes(t, dataDir, { ...sandbox.settings, DATABASE_URL: url('waypost') });
  assert.equal((await sandbox.transmits()).length, 4);
});

/** A server that is not embedded, and a gateway on it that has sent three messages. */
async function startWorld(t: TestContext) {
  const dir = await mkdtemp(join(tmpdir(), 'waypost-own-'));
  await chmod(dir, 0o700);
  if (NOBODY.uid !== undefined) await chown(dir, NOBODY.uid, NOBODY.gid);
  const env = { PATH: process.env.PATH, LC_ALL: 'C', PGHOST: dir, PGUSER: 'waypost' };
  const options: ExecFileOptions = { ...NOBODY, cwd: dir, env };
  const tool = async (name: string, ...parameters: string[]) => {
    await run(join(TOOLS, name), parameters, options);
  };
  await tool('initdb', '--username=waypost', '--auth=trust', '--no-sync', `--pgdata=${join(dir, 'cluster')}`);
  t.after(async () => {
    // A server that does not run, or was never made, cannot be stopped.
    for (const folder of ['cluster', 'base'])
      await tool('pg_ctl', 'stop', '--wait', '--mode=immediate', `--pgdata=${join(dir, folder)}`).catch(
        () => undefined,
      );
    await rm(dir, { recursive: true, force: true, maxRetries: 3 });
  });
  await startServer(tool, dir, 'cluster');
  await tool('createdb', 'waypost');
  const url = (database: string) => `postgresql://waypost@localhost/${database}?host=${encodeURIComponent(dir)}`;
  const sandbox = await startSandboxProcess({ WAYPOST_SANDBOX_STATUSES: 'off' });
  t.after(() => sandbox.stop());
  const dataDir = await mkdtemp(join(tmpdir(), 'waypost-own-data-'));
  t.after(() => rm(dataDir, { recursive: true, force: true, maxRetries: 3 }));
  const first = await startGatewayProcess(dataDir, { ...sandbox.settings, DATABASE_URL: url('waypost') });
  t.after(() => first.kill());
  assert.equal((await sendText(first.dev, phoneNumbers(0, 3))).json.accepted_count, 3);
  return { dir, tool, url, sandbox, dataDir, first };
}

type Tool = (name: string, ...parameters: string[]) => Promise<void>;

async function startServer(tool: Tool, dir: string, folder: string): Promise<void> {
  const settings = `-c listen_addresses= -c unix_socket_directories=${dir} -c fsync=off`;
  const log = `--log=${join(dir, 'server.log')}`;
  await tool('pg_ctl', 'start', '--wait', `--pgdata=${join(dir, folder)}`, `--options=${settings}`, log);
}

async function assertServes(t: TestContext, dataDir: string, env: Record<string, string>): Promise<void> {
  const restored = await startGatewayProcess(dataDir, env);
  t.after(() => restored.kill());
  assert.equal((await listMessages(restored.dev, 'direction=outbound')).length, 3);
  assert.equal((await sendText(restored.dev, phoneNumbers(1, 1))).json.accepted_count, 1);
  assert.equal(await restored.stop(), 0);
}
