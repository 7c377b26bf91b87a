import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { collectGarbage } from '../../../test/support/garbage.ts';
import { until } from '../../../test/support/until.ts';
import { createGuardedAgent } from '../address/guarded-agent.ts';
import { post } from './post.ts';

const MEBIBYTE = 1 << 20;
const PIECES = 50;
/** What may stand beside each byte of an answer, and is no part of it. Fewer bytes together than one attempt may read. */
const EXTENSION = 'x'.repeat(15_000);

/** What each server sends at first, and then again and again. */
const floods = {
  '/extensions': ['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', `1;a=${'x'.repeat(60_000)}\r\na\r\n`],
  '/interim': ['', 'HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n'.repeat(1_000)],
  '/lines': ['', '\r\n'.repeat(30_000)],
} as const;

const paths: string[] = [];
let taken = 0;
let pieces = 0;
const held: Socket[] = [];
const server = createServer((socket) => {
  socket.on('error', () => undefined);
  socket.on('data', (request) => {
    const path = /^POST (\S+)/.exec(request.toString())?.[1];
    paths.push(path ?? '');
    const flood = Object.entries(floods).find(([name]) => name === path)?.[1];
    if (flood !== undefined) {
      socket.write(flood[0]);
      sendOn(socket, flood[1]);
    } else if (path === '/busy') {
      socket.write('HTTP/1.1 503 No\r\nretry-after: 1\r\nretry-after: 2\r\ncontent-length: 0\r\n\r\n');
    } else if (path === '/kept') {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 60000\r\n\r\n${'a'.repeat(60_000)}`);
    } else {
      held.push(socket);
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      sendPieces(socket);
    }
  });
});
const agent = createGuardedAgent(async () => ['127.0.0.1'], { local: true, timeoutMs: 30_000 });
before(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
after(async () => {
  await agent.destroy();
  server.close();
});

/** One after another, each when the one before is gone, so that nothing waits in this process. */
function sendOn(socket: Socket, piece: string): void {
  socket.write(piece, (error) => {
    if (error != null) return;
    taken += piece.length;
    sendOn(socket, piece);
  });
}

function sendPieces(socket: Socket): void {
  if (pieces < PIECES)
    socket.write(`1;a=${EXTENSION}\r\na\r\n`, () => {
      pieces += 1;
      sendPieces(socket);
    });
}

function postTo(path: string, { by = agent, timeoutMs = 30_000, signal = new AbortController().signal } = {}) {
  const { port } = server.address() as AddressInfo; // A server that listens on TCP has one.
  return post(by, { origin: `http://localhost:${port}`, path, headers: {}, body: '{}' }, { timeoutMs, signal });
}

it('an answer takes no more memory than is kept of it, whatever stands beside its bytes', async () => {
  const heldBefore = heldBytes();
  const posted = postTo('/pieces');
  await until(() => pieces === PIECES);
  const grownBytes = heldBytes() - heldBefore;
  // Whole chunks would be 750 kB.
  assert.ok(grownBytes < MEBIBYTE / 4, `${grownBytes} bytes are held`);
  for (const socket of held) socket.end('0\r\n\r\n');
  assert.equal((await posted).answer, 'a'.repeat(PIECES));
});

describe('an endpoint that sends without an end what is no part of an answer is cut off', () => {
  for (const path of Object.keys(floods))
    it(path, async () => {
      taken = 0;
      assert.equal((await postTo(path)).error, 'too_large');
      // One mebibyte is read, and some more lies in the buffers of the system.
      assert.ok(taken < 20 * MEBIBYTE, `${taken} bytes were taken`);
    });
});

it('answers one after another on a kept connection are each within the bound, and leave nothing at their signal', async () => {
  const { signal } = new AbortController();
  for (let n = 0; n < 40; n += 1) assert.equal((await postTo('/kept', { signal })).error, null);
  assert.deepEqual(getEventListeners(signal, 'abort'), []);
});

it('an answer tells each of the times to wait that it names', async () => {
  assert.deepEqual((await postTo('/busy')).retryAfter, ['1', '2']);
});

it('nothing is written on a connection that is made when the time is over', async () => {
  const found = Promise.withResolvers<string[]>();
  const late = createGuardedAgent(() => found.promise, { local: true, timeoutMs: 30_000 });
  assert.equal((await postTo('/late', { by: late, timeoutMs: 1 })).error, 'timeout');
  found.resolve(['127.0.0.1']);
  assert.equal((await postTo('/kept', { by: late })).error, null);
  await late.destroy();
  assert.ok(!paths.includes('/late'));
});

it('nothing is kept of an endpoint whose last call was broken off, because its URL may never come again', async () => {
  const forgetting = createGuardedAgent(async () => ['127.0.0.1'], { local: true, timeoutMs: 30_000 });
  const breaking = new AbortController();
  const posted = postTo('/broken-off', { by: forgetting, signal: breaking.signal });
  await until(() => paths.includes('/broken-off'));
  assert.equal(Object.keys(forgetting.stats).length, 1);
  breaking.abort();
  assert.equal((await posted).error, 'closed');
  await until(() => Object.keys(forgetting.stats).length === 0);
  await forgetting.destroy();
});

/** What is left when all garbage is collected. */
function heldBytes(): number {
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}
