import { once } from 'node:events';
import type { Server } from 'node:net';

/** Lets a server listen at a free port of this machine. Returns its address as a base URL. */
export async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('A server that listens at a port has one');
  return `http://127.0.0.1:${address.port}`;
}
