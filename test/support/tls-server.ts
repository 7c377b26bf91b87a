import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type Duplex, duplexPair } from 'node:stream';
import { getCACertificates, setDefaultCACertificates, TLSSocket, type TLSSocketOptions } from 'node:tls';
import { makeCertificate } from './certificate.ts';

/** A connection on which something was read. */
export interface TlsConnection {
  socket: TLSSocket;
  /** The TCP connection below TLS. Bytes that are written to it are not encrypted. */
  below: Socket;
  /** What TLS has written to it, if the server is `tapped`. */
  written: Buffer[];
  /** The lines with which its traffic can be decrypted. */
  keys: string[];
}

export type TlsServerOptions = TLSSocketOptions & { tapped?: true };

export interface TlsServer {
  url: string;
  port: number;
  close(): void;
}

const ADDRESS = '127.0.0.1';
/** Its certificate is for this one too. */
const HOST = 'shop.example';

/** A server with a certificate that this process trusts, unless another one is given. */
export async function startTlsServer(
  answer: (connection: TlsConnection) => void,
  { tapped, ...options }: TlsServerOptions = {},
): Promise<TlsServer> {
  const certificate = makeCertificate(ADDRESS, [HOST]);
  setDefaultCACertificates([...getCACertificates('default'), certificate.cert]);
  const sockets = new Set<Socket>();
  const server = createServer((below) => {
    sockets.add(below);
    const written: Buffer[] = [];
    const keys: string[] = [];
    const beneath = tapped === true ? tap(below, written) : below;
    const socket = new TLSSocket(beneath, { isServer: true, ...certificate, ...options });
    below.on('close', () => socket.destroy());
    for (const one of [below, socket]) one.on('error', () => undefined);
    socket.on('keylog', (line) => keys.push(line.toString()));
    socket.once('data', () => answer({ socket, below, written, keys }));
  });
  server.listen(0, ADDRESS);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // A server that listens on TCP has one.
  return {
    url: `https://${ADDRESS}:${port}`,
    port,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** The same connection, which also notes what is written to it. */
function tap(below: Socket, written: Buffer[]): Duplex {
  const [near, far] = duplexPair();
  far.on('data', (bytes: Buffer) => written.push(bytes)).pipe(below);
  below.pipe(far);
  return near;
}
