import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { makeDearChain } from '../../../test/support/certificate.ts';
import { startTlsServer } from '../../../test/support/tls-server.ts';
import { until } from '../../../test/support/until.ts';
import { createPoster, type Poster } from './poster.ts';
import { PosterThread } from './poster-thread.ts';

const ADDRESS = '127.0.0.1';
const REQUEST = { path: '/', headers: {}, body: '{}' };
const CLOSED = { httpStatus: null, error: 'closed', retryAfter: [], answer: null };

it('an endpoint whose chain of certificates is dear holds up its own thread, and not the gateway', async (t) => {
  const server = await startTlsServer(() => undefined, makeDearChain(ADDRESS));
  t.after(() => server.close());
  const busyMs = async (poster: Poster) => {
    t.after(() => poster.close());
    // The first call begins the thread.
    await poster.post({ ...REQUEST, origin: server.url }, true);
    const before = performance.eventLoopUtilization();
    const { error } = await poster.post({ ...REQUEST, origin: server.url }, true);
    assert.equal(error, 'tls');
    return performance.eventLoopUtilization(before).active;
  };
  const hereMs = await busyMs(createPoster());
  const thereMs = await busyMs(new PosterThread());
  assert.ok(thereMs < hereMs / 2, `busy for ${thereMs} ms, and for ${hereMs} ms where the gateway calls itself`);
});

it('a call in the thread ends where its signal says so, and so does its connection', async (t) => {
  const { poster, origin, connections } = await startSilentServer(t);
  const breaking = new AbortController();
  const [broken, other] = [
    poster.post({ ...REQUEST, origin }, true, breaking.signal),
    poster.post({ ...REQUEST, origin }, true),
  ];
  await until(() => connections.length === 2);
  breaking.abort();
  assert.deepEqual(await broken, CLOSED);
  await until(() => connections.filter(({ destroyed }) => destroyed).length === 1);
  await poster.close();
  assert.deepEqual(await other, CLOSED);
  assert.deepEqual(await poster.post({ ...REQUEST, origin }, true), CLOSED);
});

it('a call whose signal has spoken already is not made', async (t) => {
  const { poster, origin } = await startSilentServer(t);
  assert.deepEqual(await poster.post({ ...REQUEST, origin }, true, AbortSignal.abort()), CLOSED);
});

it('a fault of ours in the thread ends the process', async () => {
  const program = `
    import { PosterThread } from './src/endpoints/call/poster-thread.ts';
    new PosterThread().post({ origin: 'http://127.0.0.1:1', path: 'no path', headers: {}, body: '' }, true);
  `;
  const ended = promisify(execFile)(process.execPath, ['--eval', program]);
  await assert.rejects(ended, ({ code, stderr }) => code === 1 && /path must be an absolute URL/.test(stderr));
});

async function startSilentServer(t: TestContext) {
  const connections: Socket[] = [];
  const server = createServer((connection) => {
    connections.push(connection);
    connection.on('error', () => undefined).resume();
  });
  server.listen(0, ADDRESS);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // A server that listens on TCP has one.
  const poster = new PosterThread();
  t.after(async () => {
    await poster.close();
    for (const connection of connections) connection.destroy();
    server.close();
  });
  return { poster, origin: `http://${ADDRESS}:${port}`, connections };
}
