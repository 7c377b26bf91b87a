import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';

/** An HTTP server on loopback that can go away, as one that dies does, and come back at the same port. */
export interface Listener {
  url: string;
  port: number;
  /** Breaks all connections and refuses new ones. */
  goAway(): Promise<void>;
  comeBack(): Promise<void>;
  /** Resolves when the server is there. */
  present(): Promise<void>;
}

/** Listens at `wantedPort`, or without it at any free port. */
export async function startListener(onRequest: RequestListener, wantedPort = 0): Promise<Listener> {
  const server = createServer(onRequest);
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  await listen(wantedPort);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('A TCP server has no port');
  const { port } = address;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    async goAway() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
    async comeBack() {
      if (!server.listening) await listen(port);
    },
    async present() {
      if (!server.listening) await once(server, 'listening');
    },
  };
}
