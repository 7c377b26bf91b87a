import assert from 'node:assert/strict';
import dns from 'node:dns';
import { connect } from 'node:net';
import { it } from 'node:test';
import { createPlainListener } from '../test/support/plain-listener.ts';
import { listen } from './listen.ts';

it('a listener has one address where localhost has two: Fastify makes another server for the second, to which nothing of ours belongs', async (t) => {
  const real = dns.lookup;
  const lookup = (
    name: string,
    options: dns.LookupAllOptions,
    tell: (error: Error | null, found: dns.LookupAddress[]) => void,
  ) => {
    if (name !== 'localhost') return real(name, options, tell);
    // As ::1 is on most machines.
    const second = { address: '127.0.0.2', family: 4 };
    tell(null, [{ address: '127.0.0.1', family: 4 }, second]);
  };
  t.mock.method(dns, 'lookup', lookup);
  const app = createPlainListener({ routes: [] });
  t.after(() => app.close());
  const url = new URL(await listen(app, { host: 'localhost', port: 0, setting: 'PORT' }));
  assert.equal(url.hostname, '127.0.0.1');
  assert.deepEqual(await Promise.all(['127.0.0.1', '127.0.0.2'].map((host) => connects(host, Number(url.port)))), [
    true,
    false,
  ]);
});

function connects(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host, () => resolve(true)).on('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
