import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { type LiveWorld, startLiveWorld } from '../../test/pacing/live-world.ts';
import { exchangeBytes } from '../../test/support/raw-http.ts';
import { until } from '../../test/support/until.ts';

let world: LiveWorld;
before(async () => {
  world = await startLiveWorld();
  await world.connect();
});
after(() => world.stop());

const headOf = (path: string, more = '') =>
  `${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${world.liveKey}\r\n${more}\r\n`;

function sendOf(to: string): string {
  const body = JSON.stringify({ to, type: 'text', text: { body: 'Hello' } });
  const length = `content-type: application/json\r\ncontent-length: ${body.length}\r\n`;
  return headOf('POST /api/v1/messages/send', length) + body;
}

const isTaken = (to: string) => world.provider.taken.some((taken) => taken.to === to);

/** A connection of its own, with all that has come back on it. */
async function open(bytes: string): Promise<{ socket: Socket; answer(): string }> {
  const socket = connect(Number(new URL(world.gateway.url).port), '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => (text += chunk));
  // A connection that is broken off is what is asked for.
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(bytes);
  return { socket, answer: () => text };
}

describe('what is not HTTP', () => {
  it('is never the answer to a send that is being carried out before it on the connection', async () => {
    const behind = ['}', '\0', `GET / HTTP/1.1\r\nx-large: ${'a'.repeat(20_000)}\r\n\r\n`];
    for (const [place, bytes] of behind.entries()) {
      const to = `+44770090080${place}`;
      const release = world.provider.hold();
      const { socket, answer } = await open(sendOf(to));
      await until(() => isTaken(to));
      const closed = once(socket, 'close');
      socket.write(bytes);
      await closed;
      assert.equal(answer(), '', 'a broken connection leaves open what became of the send');
      release();
      const path = `/api/v1/messages?to=${encodeURIComponent(to)}`;
      await until(async () => (await world.call('GET', path)).json.data[0]?.status === 'accepted');
    }
  });

  it('is never the answer to a send that comes in the same packet', async () => {
    const to = '+447700900810';
    assert.equal(await exchangeBytes(world.gateway.url, `${sendOf(to)}}`).catch(() => ''), '');
    await until(() => isTaken(to));
  });

  it('writes nothing into an answer that is on its way', async () => {
    const { socket, answer } = await open(headOf('GET /api/v1/events/stream'));
    await until(() => answer().includes('text/event-stream'));
    const closed = once(socket, 'close');
    socket.write('}');
    await closed;
    assert.ok(!answer().includes('bad_http'), answer());
  });

  it('is told apart from what is too large, and from what comes too slowly and may be good HTTP', async () => {
    const large = await exchangeBytes(world.gateway.url, headOf('GET /', `x-large: ${'a'.repeat(20_000)}\r\n`));
    assert.match(large, /^HTTP\/1\.1 431 [\s\S]*"status":431,"detail":"The URL and the headers are too large/);
    const { server } = world.gateway.app.server;
    const accepted = once(server, 'connection');
    const { socket, answer } = await open('GET /healthz HTTP/1.1\r\n');
    const [taken] = await accepted;
    const closed = once(socket, 'close');
    // As Node tells it, after a minute and more.
    server.emit('clientError', Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), taken);
    await closed;
    assert.match(
      answer(),
      /^HTTP\/1\.1 408 Request Timeout\r\n[\s\S]*"status":408,"detail":"The request did not come whole in time/,
    );
  });

  it('has its connection closed behind the page, also where its caller leaves its own side open', async () => {
    const { server } = world.gateway.app.server;
    const accepted = once(server, 'connection');
    const socket = connect({ port: Number(new URL(world.gateway.url).port), host: '127.0.0.1', allowHalfOpen: true });
    socket.on('error', () => undefined);
    socket.write('NONSENSE\r\n\r\n');
    const [taken] = await accepted;
    let page = '';
    socket.on('data', (chunk) => (page += chunk));
    await once(socket, 'end');
    assert.match(page, /^HTTP\/1\.1 400 [\s\S]*\r\nconnection: close\r\n[\s\S]*"code":"bad_http"/);
    await until(() => taken.destroyed);
    socket.destroy();
  });

  it('gets its page behind a request that is answered, and in the midst of one that has not come whole', async () => {
    const { socket, answer } = await open(headOf('GET /api/v1/account'));
    await until(() => answer().includes(world.gateway.accountId));
    const closed = once(socket, 'close');
    socket.write('}');
    await closed;
    assert.match(
      answer(),
      /^HTTP\/1\.1 200 [\s\S]*HTTP\/1\.1 400 [\s\S]*cache-control: no-store[\s\S]*"code":"bad_http"/,
    );
    const chunked = headOf(
      'POST /api/v1/messages/send',
      'content-type: application/json\r\ntransfer-encoding: chunked\r\n',
    );
    assert.match(
      await exchangeBytes(world.gateway.url, `${chunked}no length\r\n`),
      /^HTTP\/1\.1 400 [\s\S]*"code":"bad_http"/,
    );
  });
});
