import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { it } from 'node:test';
import { makeCertificate } from '../../../test/support/certificate.ts';
import { startTlsServer } from '../../../test/support/tls-server.ts';
import { startPoster } from './start-poster.ts';

const ADDRESS = '127.0.0.1';
const REQUEST = { path: '/', headers: {}, body: '{}' };

it('only a call over TLS begins the thread for it', async (t) => {
  const plain = createServer((_request, answer) => answer.writeHead(204).end());
  plain.listen(0, ADDRESS);
  await once(plain, 'listening');
  const secure = await startTlsServer(() => undefined, makeCertificate(ADDRESS));
  const poster = startPoster();
  t.after(async () => {
    await poster.close();
    secure.close();
    plain.close();
  });
  const { port } = plain.address() as AddressInfo; // A server that listens on TCP has one.
  assert.equal((await poster.post({ ...REQUEST, origin: `http://${ADDRESS}:${port}` }, true)).httpStatus, 204);
  assert.equal(poster.busySeconds(), 0);
  // Nobody has told that thread to trust the server.
  assert.equal((await poster.post({ ...REQUEST, origin: secure.url }, true)).error, 'tls');
  assert.ok(poster.busySeconds() > 0);
});
