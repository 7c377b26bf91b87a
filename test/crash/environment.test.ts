import assert from 'node:assert/strict';
import { once } from 'node:events';
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { ownDatabase } from '../support/own-database.ts';
import { startGatewayProcess } from '../support/process.ts';

const onUnix = { skip: process.platform === 'win32' && 'Windows has no umask' };

it('a start asks its own sandbox itself, and no proxy of the environment', async (t) => {
  const asked: string[] = [];
  const proxy = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(403).end();
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  t.after(() => proxy.close());
  const address = proxy.address();
  assert.ok(typeof address === 'object' && address !== null);
  const http_proxy = `http://127.0.0.1:${address.port}`;
  const gateway = await startGatewayProcess(await makeDataDir(t), {
    ...(await ownDatabase(t)),
    NODE_USE_ENV_PROXY: '1',
    http_proxy,
  });
  t.after(() => gateway.kill());
  assert.equal(await gateway.stop(), 0);
  assert.deepEqual(asked, []);
});

it('nobody else may write what a gateway has made, where the umask would let everyone', onUnix, async (t) => {
  const dataDir = await makeDataDir(t);
  const umask = process.umask(0);
  t.after(() => process.umask(umask));
  // No cache is given, so the gateway makes its own in the folder. An embedded server that runs as root would leave a folder elsewhere.
  const gateway = await startGatewayProcess(dataDir, { ...(await ownDatabase(t)), NODE_COMPILE_CACHE: '' });
  t.after(() => gateway.kill());
  assert.equal(await gateway.stop(), 0);
  const paths = (await readdir(dataDir, { recursive: true })).map((name) => join(dataDir, name));
  const made = await Promise.all([dataDir, ...paths].map(async (path) => ({ path, stats: await lstat(path) })));
  const open = made.filter(({ stats }) => (stats.mode & 0o022) !== 0);
  assert.deepEqual(
    open.map(({ path }) => path),
    [],
  );
  // Node has a folder for each set of flags: one for the gateway, and one for its sandbox, which keeps what it has compiled in the same place.
  assert.equal((await readdir(join(dataDir, 'compile-cache'))).length, 2);
});

it('a start warns of a database that may lose what it has committed', async (t) => {
  const { DATABASE_URL } = await ownDatabase(t);
  const lossy = new URL(DATABASE_URL);
  lossy.searchParams.set('options', '-csynchronous_commit=off');
  const gateway = await startGatewayProcess(await makeDataDir(t), { DATABASE_URL: lossy.href });
  t.after(() => gateway.kill());
  assert.equal(await gateway.stop(), 0);
  assert.match(gateway.output(), /"synchronous_commit=off"\],"msg":"database\.may_lose_commits"/);
});

async function makeDataDir(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'waypost-environment-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  return join(dir, 'data');
}
