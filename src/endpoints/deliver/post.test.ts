import assert from 'node:assert/strict';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { after, before, it } from 'node:test';
import { collectGarbage } from '../../../test/support/garbage.ts';
import { until } from '../../../test/support/until.ts';
import { createGuardedAgent } from '../address/guarded-agent.ts';
import { post } from './post.ts';

const CHUNKS = 500;
/** What may stand beside each byte of an answer, and is no part of it. */
const EXTENSION = 'x'.repeat(60_000);
const MEBIBYTE = 1 << 20;

const sockets: Socket[] = [];
let written = 0;
const server = createServer((socket) => {
  sockets.push(socket);
  socket.on('error', () => undefined);
  socket.once('data', () => {
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
    writeChunk(socket);
  });
});
const agent = createGuardedAgent(async () => ['127.0.0.1'], { local: true, timeoutMs: 30_000 });
before(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
after(async () => {
  await agent.destroy();
  server.close();
});

/** One after another, each when the one before is gone, so that nothing waits in this process. */
function writeChunk(socket: Socket): void {
  if (written < CHUNKS)
    socket.write(`1;a=${EXTENSION}\r\na\r\n`, () => {
      written += 1;
      writeChunk(socket);
    });
}

it('an answer takes no more memory than is kept of it, whatever stands beside its bytes', async () => {
  const before = heldBytes();
  const { port } = server.address() as AddressInfo; // A server that listens on TCP has one.
  const url = new URL(`http://127.0.0.1:${port}/`);
  const posted = post(agent, { url, headers: {}, body: '{}', timeoutMs: 30_000 });
  await until(() => written === CHUNKS);
  const grownBytes = heldBytes() - before;
  assert.ok(grownBytes < 10 * MEBIBYTE, `${Math.round(grownBytes / MEBIBYTE)} MiB are held`);
  for (const socket of sockets) socket.end('0\r\n\r\n');
  assert.equal((await posted).answer, 'a'.repeat(CHUNKS));
});

/** What is left when all garbage is collected. */
function heldBytes(): number {
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}
