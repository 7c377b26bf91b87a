import { once } from 'node:events';
import type { Server } from 'node:http';

/** For a process that the bench has started: listens on a free port, sends the address to the bench, and ends together with it. */
export async function listenAsChild(server: Server): Promise<void> {
  process.on('disconnect', () => process.exit(0));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('A server on a port has a port');
  process.send?.({ origin: `http://127.0.0.1:${address.port}` });
}
