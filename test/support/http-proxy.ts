import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';

interface Asked {
  authority: string;
  host: string | undefined;
  authorization: string | undefined;
}

export interface HttpProxy {
  url: string;
  asked: Asked[];
  /** How many connections it has now. */
  open(): Promise<number>;
  close(): void;
}

/**
 * `refuse` names the status for a connection that is not made, or that it hangs up; without it, and without a port, it never answers. It
 * leaves it to the other side to close what it does not use.
 */
export type Route = (authority: string) => { port: number } | { refuse: number | 'hang_up' } | undefined;

/** An HTTP proxy that connects to a port of this machine whatever it is asked for, by CONNECT only. */
export async function startHttpProxy(route: Route): Promise<HttpProxy> {
  const asked: Asked[] = [];
  const sockets = new Set<Duplex>();
  const server = createServer();
  server.on('connect', (request, socket: Duplex) => {
    const authority = request.url ?? '';
    const { host, 'proxy-authorization': authorization } = request.headers;
    asked.push({ authority, host, authorization });
    socket.on('error', () => undefined);
    const to = route(authority);
    if (to === undefined || 'refuse' in to) {
      if (to?.refuse === 'hang_up') return void socket.end();
      if (to !== undefined) socket.write(`HTTP/1.1 ${to.refuse} Refused\r\ncontent-length: 7\r\n\r\nRefused`);
      socket.resume().on('end', () => socket.end());
      return;
    }
    const target = connect(to.port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      target.pipe(socket);
      socket.pipe(target);
    });
    target.on('error', () => socket.destroy());
    sockets.add(target);
  });
  server.on('connection', (socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // A server that listens on TCP has one.
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    open: () => new Promise((resolve, reject) => server.getConnections((e, n) => (e ? reject(e) : resolve(n)))),
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
