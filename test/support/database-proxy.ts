import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** Stands between a gateway and its database, and can cut the connections. */
export interface DatabaseProxy {
  /** The address of the same database through this proxy. */
  url: string;
  /** Breaks every connection and refuses new ones, as if the server were gone. */
  cut(): void;
  /** Holds back everything from now on, as a network that drops packets does. */
  stall(): void;
  /** Lets everything through again. What a stall held back still arrives, in order. */
  restore(): void;
  /**
   * Cuts as soon as a client writes a statement with this text among its values. `delivered` says whether the server still gets it, and so
   * commits it although the client never hears of it. Resolves when that has happened.
   */
  cutAt(text: string, how: { delivered: boolean }): Promise<void>;
  /** Stalls as soon as a client writes such a statement. */
  stallAt(text: string): Promise<void>;
  /**
   * From such a statement on, holds back everything on its connection, and on no other. That is what a firewall does that has forgotten the
   * connection. Not even the statement gets through before `restore`.
   */
  silenceAt(text: string): Promise<void>;
  /** Does the same for all connections that are open now. Later ones work, as if another machine had taken over the address. */
  silenceOpen(): void;
  close(): Promise<void>;
}

/** Changes what the server says on one connection, piece by piece as it comes. */
export type Rewrite = (bytes: Buffer) => Buffer;

/**
 * `url` may name a Unix socket by its parameter `host`. `rewriter` is called for each connection, and makes what changes the server's
 * bytes.
 */
export async function startDatabaseProxy(url: string, rewriter?: () => Rewrite): Promise<DatabaseProxy> {
  const line = createLine(rewriter);
  const listener = createServer((client) => {
    if (line.isCut()) client.destroy();
    else line.join(client, connect(targetOf(url)));
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return {
    url: throughPort(url, listener),
    cut: line.cut,
    stall: line.stall,
    restore: line.restore,
    cutAt: (text, { delivered }) => line.setTrap({ text, delivered, spring: line.cut }),
    stallAt: (text) => line.setTrap({ text, delivered: true, spring: line.stall }),
    silenceAt: (text) => line.setTrap({ text, delivered: false, spring: line.silence }),
    silenceOpen: line.silenceOpen,
    async close() {
      line.cut();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}

/** The two halves of one connection through the proxy. */
interface Pair {
  client: Socket;
  server: Socket;
}

interface Trap {
  text: string;
  delivered: boolean;
  /** What happens when a client writes the text: on which connection, and in which bytes. */
  spring(pair: Pair, bytes: Buffer): void;
}

/** All connections through the proxy, and what is done to them. */
function createLine(rewriter: () => Rewrite = () => (bytes) => bytes) {
  const pairs = new Set<Pair>();
  let cut = false;
  let stalled = false;
  let trap: Trap | undefined;

  const hold = ({ client, server }: Pair, isHeld: boolean) => {
    for (const socket of [client, server]) isHeld ? socket.pause() : socket.resume();
  };
  const holdAll = (isHeld: boolean) => {
    for (const pair of pairs) hold(pair, isHeld);
  };
  const setStalled = (isStalled: boolean) => {
    stalled = isStalled;
    holdAll(isStalled);
  };

  return {
    isCut: () => cut,
    cut() {
      cut = true;
      for (const { client, server } of pairs) {
        client.destroy();
        // The bytes that were written to the server still reach it.
        server.end();
      }
    },
    stall: () => setStalled(true),
    silenceOpen: () => holdAll(true),
    silence(pair: Pair, bytes: Buffer) {
      hold(pair, true);
      pair.client.unshift(bytes);
    },
    restore() {
      cut = false;
      setStalled(false);
    },
    setTrap: ({ spring, ...rest }: Trap) =>
      new Promise<void>((resolve) => {
        trap = { ...rest, spring: (pair, bytes) => resolve(spring(pair, bytes)) };
      }),
    join(client: Socket, server: Socket) {
      const pair = { client, server };
      pairs.add(pair);
      client.on('data', (bytes: Buffer) => {
        const caught = trap !== undefined && bytes.includes(trap.text) ? trap : undefined;
        if (caught === undefined || caught.delivered) server.write(bytes);
        if (caught === undefined) return;
        trap = undefined;
        caught.spring(pair, bytes);
      });
      const rewrite = rewriter();
      server.on('data', (bytes: Buffer) => client.write(rewrite(bytes)));
      client.on('error', () => undefined).on('close', () => server.end());
      server.on('error', () => undefined).on('close', () => client.end());
      client.on('close', () => pairs.delete(pair));
      if (stalled) hold(pair, true);
    },
  };
}

function targetOf(url: string) {
  const { searchParams, hostname, port } = new URL(url);
  const socketDir = searchParams.get('host');
  if (socketDir === null) return { host: hostname, port: Number(port || '5432') };
  return { path: `${socketDir}/.s.PGSQL.${searchParams.get('port')}` };
}

function throughPort(url: string, listener: Server): string {
  const address = listener.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy listens on no port');
  const through = new URL(url);
  through.searchParams.delete('host');
  through.searchParams.delete('port');
  through.hostname = '127.0.0.1';
  through.port = String(address.port);
  return through.href;
}
