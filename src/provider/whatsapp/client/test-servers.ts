import { once } from 'node:events';
import net from 'node:net';
import type { OutboundMessage, Provider, Sender } from '../../port.ts';
import { createWhatsAppProvider } from './client.ts';

/** What a server of these tests read: a whole request, with our id from the opaque member. */
export interface ReadRequest {
  id: string;
  head: string;
  body: string;
}

export interface WireServer {
  url: string;
  port: number;
  requests: ReadRequest[];
  /** How many connections were ever made to it, and how many are open now. */
  connections: { made: number; open: number };
  close(): Promise<void>;
}

/** A server that shows every byte: it reads whole requests and leaves it to `answer` what goes back, if anything. */
export async function startWireServer(answer: (socket: net.Socket, request: ReadRequest) => void): Promise<WireServer> {
  const requests: ReadRequest[] = [];
  const connections = { made: 0, open: 0 };
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    connections.made += 1;
    connections.open += 1;
    sockets.add(socket);
    socket.on('error', () => {
      // The tests break connections on purpose; what the client made of it is what they look at.
    });
    socket.on('close', () => {
      connections.open -= 1;
      sockets.delete(socket);
    });
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      text += chunk;
      for (let request = readRequest(text); request !== undefined; request = readRequest(text)) {
        text = text.slice(request.head.length + request.body.length);
        requests.push(request);
        answer(socket, request);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    requests,
    connections,
    async close() {
      for (const socket of sockets) socket.destroy();
      if (server.listening) await once(server.close(), 'close');
    },
  };
}

/** Bodies in these tests are ASCII, so that characters count as bytes. */
function readRequest(text: string): ReadRequest | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const head = text.slice(0, end + 4);
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
  const body = text.slice(head.length, head.length + length);
  if (body.length < length) return undefined;
  return { id: /"biz_opaque_callback_data":"([^"]+)"/.exec(body)?.[1] ?? '', head, body };
}

export function http(status: number, body: string, headers = ''): string {
  return `HTTP/1.1 ${status} Any\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`;
}

export function accepted(id: string): string {
  return http(200, JSON.stringify({ messages: [{ id: `wamid.${id}` }] }));
}

/** Resets a connection. One that is closing already is let go: Node would never close it after a reset. */
export function reset(socket: net.Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}

export const SENDER: Sender = {
  accountId: 'account',
  phoneNumberId: '1055',
  accessToken: 'a-secret-token',
  mode: 'live',
};

export function message(id: string): OutboundMessage {
  const content = { type: 'text', text: { body: 'Hello', preview_url: false } } as const;
  return { id, recipient: { phone: '+447700900123' }, content };
}

/**
 * What a call comes to where the provider answers one request after another with these, and the first line of each request. There is one
 * connection, so that the requests come in their order.
 */
export async function callWith<Outcome>(answers: string[], call: (provider: Provider) => Promise<Outcome>) {
  const server = await startWireServer((socket) => socket.write(answers[server.requests.length - 1] ?? ''));
  const live = { url: server.url, version: 'v25.0' };
  const provider = createWhatsAppProvider({ live, timeoutMs: 5_000, connections: 1 });
  try {
    const outcome = await call(provider);
    return { outcome, lines: server.requests.map(({ head }) => head.split('\r\n')[0]) };
  } finally {
    await provider.close();
    await server.close();
  }
}
