import assert from 'node:assert/strict';
import { once } from 'node:events';
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createTestDatabase } from '../support/database.ts';
import { startGatewayProcess } from '../support/process.ts';

const onUnix = { skip: process.platform === 'win32' && 'Windows has no umask' };

describe('a gateway that was started in an environment with traps, and has stopped', () => {
  const asked: string[] = [];
  const proxy = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(403).end();
  });
  let parent: string;
  let dataDir: string;
  let output: string;
  before(async () => {
    parent = await mkdtemp(join(tmpdir(), 'waypost-environment-'));
    dataDir = join(parent, 'data');
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const address = proxy.address();
    assert.ok(typeof address === 'object' && address !== null);
    const db = await createTestDatabase();
    const lossy = new URL(db.url);
    lossy.searchParams.set('options', '-csynchronous_commit=off');
    const umask = process.umask(0);
    const gateway = await startGatewayProcess(dataDir, {
      DATABASE_URL: lossy.href,
      NODE_USE_ENV_PROXY: '1',
      http_proxy: `http://127.0.0.1:${address.port}`,
      // No cache is given, so the gateway makes its own in the folder. An embedded server that runs as root would leave a folder elsewhere.
      NODE_COMPILE_CACHE: '',
    }).finally(() => process.umask(umask));
    const code = await gateway.stop();
    await db.drop();
    assert.equal(code, 0);
    output = gateway.output();
  });
  after(async () => {
    proxy.close();
    await rm(parent, { recursive: true, force: true });
  });

  it('has asked its own sandbox itself, and no proxy', () => {
    assert.deepEqual(asked, []);
  });

  it('has made nothing that others may write, where the umask would let everyone', onUnix, async () => {
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

  it('has warned of a database that may lose what it has committed', () => {
    assert.match(output, /"synchronous_commit=off"\],"msg":"database\.may_lose_commits"/);
  });
});
