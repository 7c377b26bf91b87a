import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { startSlowAcceptor } from '../../../test/support/slow-acceptor.ts';
import { post } from '../call/post.ts';
import { createGuardedAgent } from './guarded-agent.ts';

const TIMEOUT_MS = 15_000;
const ANSWER = 'HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n';

describe('the connection to an endpoint', () => {
  it('is made to the port of its protocol where its address names none', async (t) => {
    const agent = createGuardedAgent(async () => ['127.0.0.1'], { local: true, timeoutMs: TIMEOUT_MS });
    t.after(() => agent.destroy());
    for (const [protocol, port] of [
      ['https', 443],
      ['http', 80],
    ] as const) {
      const asked = agent.request({ origin: `${protocol}://shop.example`, path: '/', method: 'POST' });
      await assert.rejects(asked, (error) => error instanceof Error && 'port' in error && error.port === port);
    }
  });

  it('is tried at few of the addresses of a name, of both families, also where all refuse at once', async (t) => {
    const ipv4 = Array.from({ length: 300 }, (_, place) => `127.1.${place >> 8}.${place & 255}`);
    const agent = createGuardedAgent(async () => ipv4.concat('::1'), { local: true, timeoutMs: TIMEOUT_MS });
    t.after(() => agent.destroy());
    // TCPMUX, at which nobody listens.
    const asked = agent.request({ origin: 'http://many.example:1', path: '/', method: 'POST' });
    await assert.rejects(asked, (error) => {
      assert.ok(error instanceof AggregateError);
      const addresses = error.errors.map(({ address }) => address);
      assert.ok(addresses.length < 10, `${addresses.length} addresses`);
      assert.ok(addresses.includes('::1'));
      return true;
    });
  });

  it('has one time for its name and for TLS, after which nothing is left of it', async (t) => {
    const timeoutMs = 4_000;
    // It takes the connection, and says nothing.
    const server = createServer((socket) => socket.resume().on('error', () => undefined));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // A server that listens on TCP has one.
    const resolve = () => setTimeout(timeoutMs - 500, ['127.0.0.1']);
    const agent = createGuardedAgent(resolve, { local: true, timeoutMs });
    t.after(async () => {
      await agent.destroy();
      server.close();
    });
    const begunMs = performance.now();
    const origin = `https://slow.example:${port}`;
    const posted = post(agent, { origin, path: '/', headers: {}, body: '{}' }, { timeoutMs });
    const [socket] = await once(server, 'connection');
    await once(socket, 'close');
    assert.ok(performance.now() - begunMs < timeoutMs * 1.6, `${performance.now() - begunMs} ms`);
    assert.equal((await posted).error, 'timeout');
  });

  const skip = process.platform !== 'linux';
  for (const addresses of [['127.0.0.1'], ['127.0.0.1', '::1'], ['127.0.0.1', '::1', '127.0.0.2']])
    it(`is waited for where the first call for it was lost, of ${addresses.join(' and ')}`, { skip }, async (t) => {
      const server = await startSlowAcceptor(ANSWER);
      t.after(() => server.close());
      const agent = createGuardedAgent(async () => addresses, { local: true, timeoutMs: TIMEOUT_MS });
      t.after(() => agent.destroy());
      const origin = `http://slow.example:${server.port}`;
      const begunMs = performance.now();
      const posted = post(agent, { origin, path: '/', headers: {}, body: '{}' }, { timeoutMs: TIMEOUT_MS });
      await server.acceptAfterFirstCall();
      const { httpStatus, error } = await posted;
      assert.deepEqual({ httpStatus, error }, { httpStatus: 204, error: null });
      assert.ok(performance.now() - begunMs > 500, 'The first call was lost');
    });
});
