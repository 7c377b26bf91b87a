import { once } from 'node:events';
import type { Server } from 'node:http';

/** Lets a process that the bench has started listen on any free port, tell it, and end together with the bench. */
export async function listenAsChild(server: Server): Promise<void> {
  process.on('disconnect', () => process.exit(0));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('A server on a port has a port');
  process.send?.({ origin: `http://127.0.0.1:${address.port}` });
}
