import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** One address that leads to whichever server is the primary, like a virtual IP or a TCP balancer. */
export interface MovableAddress {
  port: number;
  /** Leads new connections to the server with this socket, and breaks those that lead to another one. */
  moveTo(socketPath: string): void;
  close(): Promise<void>;
}

export async function startMovableAddress(socketPath: string): Promise<MovableAddress> {
  let target = socketPath;
  const open = new Set<Socket>();
  const listener = createServer((client) => {
    const server = connect({ path: target });
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      open.add(one);
      one.pipe(other);
      // When one side breaks, the other one is broken too. Both learn of it by `close`.
      one.on('error', () => undefined);
      one.on('close', () => {
        open.delete(one);
        other.destroy();
      });
    }
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return {
    port: (listener.address() as AddressInfo).port,
    moveTo(path) {
      target = path;
      for (const socket of open) socket.destroy();
    },
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}
