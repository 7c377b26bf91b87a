import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, it } from 'node:test';
import { createPlainListener } from '../../test/support/plain-listener.ts';
import { until } from '../../test/support/until.ts';
import { type Answer, publicRoute } from './route.ts';
import { holdUnreadAnswers } from './unread-answers.ts';

/** More than the system keeps for a connection that is not read. */
const ANSWER = Buffer.alloc(24 << 20, 'x');

let server: Server;
const callers: Socket[] = [];
afterEach(() => {
  for (const caller of callers.splice(0)) caller.destroy();
  server.close();
});

async function start(bytesMax: number | undefined, stalledMs: number, answer = ANSWER): Promise<void> {
  const hold = holdUnreadAnswers(bytesMax, stalledMs);
  server = createServer((_request, response) => {
    hold(response, answer.length);
    response.end(answer);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
}

/** Asks, and reads nothing. Whether a caller is still connected only the server can tell. */
async function ask(times = 1): Promise<Socket> {
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  const caller = connect(address.port, '127.0.0.1');
  callers.push(caller);
  const asked = once(server, 'request');
  caller.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(times));
  caller.on('error', () => undefined);
  await asked;
  return caller;
}

const countConnections = () =>
  new Promise<number>((resolve) => {
    server.getConnections((_error, count) => resolve(count));
  });

async function readAll(caller: Socket): Promise<number> {
  let bytes = 0;
  caller.on('data', (chunk) => (bytes += chunk.length));
  await until(() => caller.closed || bytes > ANSWER.length);
  return bytes;
}

it('the answer that has waited longest for its reader makes room for the next one, and the others are read whole', async () => {
  await start(2 * ANSWER.length, 60_000);
  const first = await ask();
  const others = [await ask(), await ask()];
  await until(async () => (await countConnections()) === 2);
  assert.ok((await readAll(first)) < ANSWER.length);
  for (const other of others) assert.ok((await readAll(other)) > ANSWER.length);
});

it('what was read makes room again', async () => {
  await start(ANSWER.length, 60_000);
  for (let calls = 0; calls < 3; calls++) assert.ok((await readAll(await ask())) > ANSWER.length);
  assert.equal(await countConnections(), 3);
});

it('a connection that takes nothing of its answer is closed', async () => {
  await start(undefined, 100);
  await ask();
  await until(async () => (await countConnections()) === 0);
});

it('small answers in a row on one connection are counted and closed as a large one is', async () => {
  const small = Buffer.alloc(60_000, 'x');
  await start(20_000_000, 60_000, small);
  const first = await ask(300);
  await until(async () => (await countConnections()) === 1);
  await ask(300);
  await until(async () => (await countConnections()) === 1);
  assert.ok((await readAll(first)) < 300 * small.length);
});

it('small answers in a row of which nothing is taken are closed too', async () => {
  await start(undefined, 100, Buffer.alloc(60_000, 'x'));
  await ask(300);
  await until(async () => (await countConnections()) === 0);
});

it('an answer to a caller who has gone takes no room from others', async () => {
  const hold = holdUnreadAnswers(ANSWER.length + 1_000_000, 60_000);
  server = createServer((request, response) => {
    if (request.url === '/') {
      hold(response, ANSWER.length);
      response.end(ANSWER);
    } else response.once('close', () => hold(response, ANSWER.length));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  const reader = await ask();
  const gone = connect(address.port, '127.0.0.1');
  const asked = once(server, 'request');
  gone.write('GET /gone HTTP/1.1\r\nhost: a\r\n\r\n');
  await asked;
  gone.destroy();
  await until(async () => (await countConnections()) === 1);
  assert.ok((await readAll(reader)) > ANSWER.length);
});

const pieces = () => Readable.from(Array.from({ length: 24 }, () => ANSWER.subarray(0, 1 << 20)));
for (const [what, answerOf] of [
  ['whole answers', (): Answer => ({ status: 200, body: ANSWER })],
  ['answers in pieces', (): Answer => ({ status: 200, body: pieces(), bytesHeld: ANSWER.length })],
] as const)
  it(`a listener of ours keeps no more ${what} than there is room for, and gives those that are read`, async () => {
    const route = { method: 'GET', path: '/', summary: 'Large', operation: 'page', bodyUse: 'none' } as const;
    const listener = createPlainListener({
      routes: [publicRoute({ ...route, handle: async () => answerOf() })],
    });
    await listener.listen({ host: '127.0.0.1', port: 0 });
    server = listener.server;
    for (let caller = 0; caller < 6; caller++) await ask();
    await until(async () => (await countConnections()) === 5);
    const [last] = callers.slice(-1);
    assert.ok(last !== undefined && (await readAll(last)) > ANSWER.length);
  });
