import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates, TLSSocket, type TLSSocketOptions } from 'node:tls';
import { makeCertificate } from './certificate.ts';

export interface TlsServer {
  url: string;
  close(): void;
}

const ADDRESS = '127.0.0.1';

/**
 * A server whose certificate this process trusts. `answer` gets each connection when something was read of it, and the one
 * below TLS, on which bytes can be written as they are.
 */
export async function startTlsServer(
  answer: (socket: TLSSocket, below: Socket) => void,
  options: TLSSocketOptions = {},
): Promise<TlsServer> {
  const certificate = makeCertificate(ADDRESS);
  setDefaultCACertificates([...getCACertificates('default'), certificate.cert]);
  const sockets = new Set<Socket>();
  const server = createServer((below) => {
    sockets.add(below);
    const socket = new TLSSocket(below, { isServer: true, ...certificate, ...options });
    for (const one of [below, socket]) one.on('error', () => undefined);
    socket.once('data', () => answer(socket, below));
  });
  server.listen(0, ADDRESS);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // A server that listens on TCP has one.
  return {
    url: `https://${ADDRESS}:${port}`,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
