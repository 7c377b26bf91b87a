import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
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
