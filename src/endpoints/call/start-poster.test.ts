import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startReceiver } from '../../../test/endpoints/receiver.ts';
import { startTlsServer } from '../../../test/support/tls-server.ts';
import { startPoster } from './start-poster.ts';

const REQUEST = { path: '/', headers: {}, body: '{}' };

it('only a call over TLS begins the thread for it', async (t) => {
  const plain = await startReceiver();
  const secure = await startTlsServer(() => undefined);
  const poster = startPoster();
  t.after(async () => {
    await poster.close();
    secure.close();
    await plain.close();
  });
  const { origin } = new URL(plain.url);
  assert.equal((await poster.post({ ...REQUEST, origin }, true)).httpStatus, 204);
  assert.equal(poster.busySeconds(), 0);
  // Only this thread was told to trust the server.
  assert.equal((await poster.post({ ...REQUEST, origin: secure.url }, true)).error, 'tls');
  assert.ok(poster.busySeconds() > 0);
});
