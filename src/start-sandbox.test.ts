import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { it } from 'node:test';
import { startSandbox } from './start-sandbox.ts';

it('a port whose server never ends its answers is told to be taken, and holds up no start', async (t) => {
  const server = createServer((_request, answer) => void answer.writeHead(200).write('data: 1\n\n'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  await assert.rejects(startSandbox({ port: address.port, appSecret: 'secret', dataDir: '.' }), /WAYPOST_SANDBOX_PORT/);
});
