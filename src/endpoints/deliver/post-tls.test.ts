import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startTlsServer } from '../../../test/support/tls-server.ts';
import { createGuardedAgent } from '../address/guarded-agent.ts';
import { post } from './post.ts';

const TIMEOUT_MS = 15_000;

it('a fault of TLS after the request ends the attempt at once, and nothing more is taken', async (t) => {
  const closed = Promise.withResolvers<void>();
  const server = await startTlsServer((_socket, below) => {
    below.on('close', closed.resolve);
    below.write('This is no record of TLS');
  });
  t.after(() => server.close());
  const agent = createGuardedAgent(async () => [], { local: true, timeoutMs: TIMEOUT_MS });
  t.after(() => agent.destroy());
  const { httpStatus, error } = await post(agent, {
    ...{ url: new URL(server.url), headers: {}, body: '{}' },
    timeoutMs: TIMEOUT_MS,
  });
  assert.deepEqual({ httpStatus, error }, { httpStatus: null, error: 'tls' });
  await closed.promise;
});
