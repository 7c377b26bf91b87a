import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { readScrape } from '../../test/observe/exposition.ts';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import { createPlainListener } from '../../test/support/plain-listener.ts';
import { until } from '../../test/support/until.ts';
import { lingering } from './linger.ts';
import { publicRoute } from './route.ts';

const BYTES = 2 << 20;
const PIECES = 64;
/** Longer than any refusal takes. */
const HELD_MS = 1_000;

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway();
});
after(() => gateway.stop());

const write = (socket: Socket, bytes: string | Uint8Array) =>
  new Promise<void>((resolve) => void socket.write(bytes, () => resolve()));

const closeOf = (socket: Socket) => new Promise<void>((resolve) => void socket.once('close', () => resolve()));

const asksToClose = () => ({ url: gateway.url, connection: 'close' });

/** A connection on which a body of 2 MiB is announced, that is to be closed behind the answer. */
async function announce(path: string, bytes = BYTES, { url, connection } = asksToClose()): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const headers = ['host: a', `connection: ${connection}`, `authorization: Bearer ${gateway.testKey}`];
  const type = 'content-type: application/json';
  await write(
    socket,
    `POST ${path} HTTP/1.1\r\n${[...headers, type, `content-length: ${bytes}`].join('\r\n')}\r\n\r\n`,
  );
  return socket;
}

/** As many clients are: it reads nothing before all is written, and gives up where it cannot write. */
async function writeThenRead(path: string, pieces: number, at = asksToClose()): Promise<string> {
  const socket = await announce(path, BYTES, at);
  socket.pause();
  const closed = closeOf(socket);
  let failure: Error | undefined;
  socket.on('error', (error) => {
    failure = error;
  });
  for (let piece = 0; piece < pieces && failure === undefined; piece++) {
    await write(socket, Buffer.alloc(BYTES / pieces, ' '));
    // In between the gateway has the time to answer and to close.
    if (pieces > 1) await gateway.call('GET', '/healthz', { key: null });
  }
  if (failure !== undefined) return failure.message;
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  socket.resume();
  await closed;
  return answer;
}

describe('a caller that is still writing when it is answered, and wants the connection closed', () => {
  for (const [path, answer] of [
    ['/api/v1/messages/send', /^HTTP\/1.1 413 .*"code":"payload_too_large"/s],
    ['/api/v1/nothing', /^HTTP\/1.1 404 .*"code":"not_found"/s],
  ] as const)
    for (const [how, pieces] of [
      ['at once', 1],
      ['slowly', PIECES],
    ] as const)
      it(`gets the answer of ${path} behind a body that it writes ${how}`, async () => {
        assert.match(await writeThenRead(path, pieces), answer);
      });

  it('gets its answer also where it is the gateway that closes the connection, because it stops', async (t) => {
    const route = { method: 'POST', path: '/', summary: 'Takes', operation: 'page', bodyUse: 'raw' } as const;
    const stopping = createPlainListener({
      routes: [publicRoute({ ...route, handle: async () => ({ status: 204 }) })],
      accepting: () => false,
      leaving: () => true,
    });
    t.after(() => stopping.close());
    const url = await stopping.listen({ host: '127.0.0.1', port: 0 });
    const answer = await writeThenRead('/', PIECES, { url, connection: 'keep-alive' });
    assert.match(answer, /^HTTP\/1.1 503 .*connection: close.*"code":"unavailable"/s);
  });

  it('has the whole answer at once', async () => {
    const socket = await announce('/api/v1/messages/send');
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    await until(() => /^HTTP\/1.1 413 .*content-length: \d+.*\r\n\r\n\{.*\}$/s.test(answer));
    assert.equal(socket.readableEnded, false);
    socket.destroy();
  });

  it('counts as refused, and as answered by then, when it goes away with its answer in hand', async () => {
    const internalUrl = await gateway.app.internalServer.listen({ host: '127.0.0.1', port: 0 });
    const route = '/platform/v1/accounts';
    const socket = await announce(route);
    await once(socket, 'data');
    const answeredMs = performance.now();
    await until(() => performance.now() - answeredMs > HELD_MS);
    socket.destroy();
    const scrape = await until(async () => {
      const now = readScrape(await (await fetch(`${internalUrl}/metrics`)).text());
      return now.sum('waypost_http_calls_total', { route }) > 0 ? now : undefined;
    });
    assert.equal(scrape.sum('waypost_http_calls_total', { route, status: '403', code: 'insufficient_scope' }), 1);
    assert.ok(scrape.sum('waypost_http_call_seconds_sum', { route }) < HELD_MS / 1_000);
  });

  it('is not read for ever', async () => {
    const socket = await announce('/api/v1/messages/send', 1 << 30);
    socket.on('error', () => undefined);
    socket.resume();
    const closed = closeOf(socket);
    while (!socket.destroyed && socket.bytesWritten < 256 << 20) await write(socket, Buffer.alloc(1 << 20, ' '));
    await closed;
    assert.ok(socket.bytesWritten < 256 << 20);
  });

  it('is not waited for longer than its time where it writes no more', async (t) => {
    const server = createServer((request, response) => void lingering(Buffer.from('No.'), request, 100).pipe(response));
    t.after(() => server.close());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo; // A server that listens on TCP has one.
    const socket = connect(port, '127.0.0.1');
    t.after(() => socket.destroy());
    socket.write('POST / HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: 9\r\n\r\n');
    socket.resume();
    await until(() => socket.readableEnded);
  });
});
