import assert from 'node:assert/strict';
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { listen } from '../client/test/listen.ts';
import { PROGRAM_ENV } from '../test/support/program-env.ts';
import { until } from '../test/support/until.ts';
import { readSettings } from './settings.ts';
import { member } from './test-support.ts';

const PROGRAM = join(import.meta.dirname, 'main.ts');

describe('the sandbox as a program', () => {
  it('prints one line with its address and stops cleanly when it is asked to', async (t) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      const { child } = await start(t);
      const line = await firstLine(child);
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
      const health: unknown = await (await fetch(`${url}/_sandbox/health`)).json();
      assert.deepEqual([member(health, 'service'), member(health, 'alone')], ['waypost-sandbox', true]);
      child.kill(signal);
      assert.deepEqual(await once(child, 'exit'), [0, null]);
    }
  });

  it('stops also when its npm is killed', { skip: process.platform === 'win32' }, async (t) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'waypost-sandbox-'));
    // As npm starts it: through a shell, which dies by a signal and does not pass it on.
    const shell = spawn('sh', ['-c', '"$0" "$1" & wait', process.execPath, PROGRAM], {
      env: { ...PROGRAM_ENV, WAYPOST_SANDBOX_PORT: '0', WAYPOST_DATA_DIR: dataDir, npm_lifecycle_event: 'sandbox' },
      stdio: ['ignore', 'pipe', 'inherit'],
      // A group of its own, by which what is left of it is ended.
      detached: true,
    });
    let allEnded = false;
    shell.once('close', () => (allEnded = true));
    t.after(async () => {
      if (!allEnded) process.kill(-(shell.pid ?? 0), 'SIGTERM');
      await until(() => allEnded);
      await rm(dataDir, { recursive: true, force: true });
    });
    await firstLine(shell);
    shell.kill('SIGTERM');
    await until(() => allEnded);
  });

  it('as a child tells its parent the address, outlives the signals that both get and ends when the parent hangs up', async (t) => {
    const { child } = await start(t, { WAYPOST_SANDBOX_CHILD: '1' });
    const [told] = await once(child, 'message');
    const url = String(member(told, 'url'));
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) child.kill(signal);
    assert.equal(member(await (await fetch(`${url}/_sandbox/health`)).json(), 'alone'), false);
    child.disconnect();
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  });

  it('makes an app secret at the first start, for its owner only, and keeps it and its neighbours', async (t) => {
    const { child, dataDir } = await start(t);
    await firstLine(child);
    const path = join(dataDir, 'secrets.json');
    const made: unknown = JSON.parse(await readFile(path, 'utf8'));
    assert.match(String(member(made, 'sandbox_app_secret')), /^[0-9a-f]{64}$/);
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    assert.deepEqual(await readdir(dataDir), ['secrets.json']);
    const again = await readSettings({ WAYPOST_DATA_DIR: dataDir });
    assert.equal(again.appSecret, member(made, 'sandbox_app_secret'));
    assert.deepEqual(JSON.parse(await readFile(path, 'utf8')), made);
    await writeFile(path, '{"other":"kept"}');
    const { appSecret } = await readSettings({ WAYPOST_DATA_DIR: dataDir });
    assert.deepEqual(JSON.parse(await readFile(path, 'utf8')), { other: 'kept', sandbox_app_secret: appSecret });
  });

  it('takes the app secret from a file that is named, as a gateway does, and makes none', async (t) => {
    const secrets = await mkdtemp(join(tmpdir(), 'waypost-secrets-'));
    t.after(() => rm(secrets, { recursive: true, force: true }));
    const file = join(secrets, 'app-secret');
    await writeFile(file, '\n the-secret-of-the-file \nan older one\n');
    const { child, dataDir } = await start(t, { WAYPOST_SANDBOX_APP_SECRET_FILE: file });
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(await firstLine(child))?.[0];
    assert.deepEqual(await readdir(dataDir), []);
    const body = JSON.stringify({ url: 'http://127.0.0.1:9/api/messaging/webhook' });
    const register = async (secret: string) => {
      const signature = createHmac('sha256', secret).update(body).digest('hex');
      const headers = { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` };
      return (await fetch(`${url}/_sandbox/callback`, { method: 'POST', headers, body })).status;
    };
    assert.deepEqual([await register('the-secret-of-the-file'), await register('an older one')], [200, 401]);
  });

  it('says which setting helps where its port is taken', async (t) => {
    const taken = createServer();
    t.after(() => taken.close());
    const { port } = new URL(await listen(taken));
    const { child } = await start(t, { WAYPOST_SANDBOX_PORT: port });
    const [chunk] = await once(child.stderr ?? assert.fail(), 'data');
    assert.equal(
      String(chunk),
      `The sandbox cannot start: port ${port} of 127.0.0.1 is taken. Stop what listens there, or choose another WAYPOST_SANDBOX_PORT.\n`,
    );
    assert.deepEqual(await once(child, 'exit'), [1, null]);
  });

  it('says in one sentence why it cannot start', async (t) => {
    const { child } = await start(t, { WAYPOST_SANDBOX_PORT: 'many' });
    const [chunk] = await once(child.stderr ?? assert.fail(), 'data');
    assert.equal(
      String(chunk),
      'The sandbox cannot start: WAYPOST_SANDBOX_PORT must be a whole number from 0 to 65535.\n',
    );
    assert.deepEqual(await once(child, 'exit'), [1, null]);
  });
});

async function start(t: TestContext, env: NodeJS.ProcessEnv = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'waypost-sandbox-'));
  const child = fork(PROGRAM, {
    env: { ...PROGRAM_ENV, WAYPOST_SANDBOX_PORT: '0', WAYPOST_DATA_DIR: dataDir, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  t.after(async () => {
    child.kill('SIGKILL');
    await rm(dataDir, { recursive: true, force: true });
  });
  return { child, dataDir };
}

async function firstLine(child: ChildProcess): Promise<string> {
  const [chunk] = await once(child.stdout ?? assert.fail(), 'data');
  return String(chunk).split('\n')[0] ?? '';
}
