import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { it } from 'node:test';
import { promisify } from 'node:util';

/** The proxy of an environment that reaches the internet only through one. Nobody listens there. */
const DEAD_PROXY = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: 'http://127.0.0.1:9', http_proxy: 'http://127.0.0.1:9' };
const run = promisify(execFile);
const addresses = Object.values(networkInterfaces()).flatMap((of) => of?.map(({ address }) => address) ?? []);

// A container may have no IPv6.
for (const [host, bound] of [
  ['127.0.0.2', '127.0.0.2'],
  ['0.0.0.0', '127.0.0.1'],
  ['::', '127.0.0.1'],
  ['::1', '::1'],
  [' ', '127.0.0.1'],
  ['127.0.0.1\r', '127.0.0.1'],
] as const)
  it(`the check of a container asks where a gateway with HOST=${JSON.stringify(host)} listens`, {
    skip: bound === '::1' && !addresses.includes(bound) && 'there is no ::1 here',
  }, async () => {
    const asked: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url);
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, bound, resolve));
    const { port } = server.address() as AddressInfo; // A server that listens on TCP has one.
    try {
      const env = { ...process.env, HOST: host, PORT: ` ${port} `, ...DEAD_PROXY };
      await run(process.execPath, ['scripts/healthcheck.js', '/readyz'], { env });
      assert.deepEqual(asked, ['/readyz']);
    } finally {
      server.close();
    }
  });
