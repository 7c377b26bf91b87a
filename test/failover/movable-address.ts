import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** One address for whichever server is the primary, as a virtual IP or a TCP balancer gives it. */
export interface MovableAddress {
  port: number;
  /** Sends new connections to the server with this socket, and breaks those to another one. */
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
      // What breaks on one side is broken on the other; both hear of it by `close`.
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
