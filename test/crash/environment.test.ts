import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { startGatewayProcess } from '../support/process.ts';

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
  const gateway = await startGatewayProcess(await makeDataDir(t), { NODE_USE_ENV_PROXY: '1', http_proxy });
  t.after(() => gateway.kill());
  assert.equal(await gateway.stop(), 0);
  assert.deepEqual(asked, []);
});

async function makeDataDir(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'waypost-environment-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  return join(dir, 'data');
}
