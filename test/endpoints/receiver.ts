import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request as a customer's server got it. */
export interface Received {
  path: string;
  headers: Record<string, string>;
  body: string;
  atMs: number;
}

export interface Receiver {
  url: string;
  received: Received[];
  close(): Promise<void>;
}

export type Answering = (response: ServerResponse, place: number, request: IncomingMessage) => void;

/**
 * A customer's server on loopback. `answer` is called with the number of requests that came before. Without it, the server answers 204. It
 * keeps no process from its end.
 */
export async function startReceiver(
  answer: Answering = (response) => response.writeHead(204).end(),
): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    received.push({ path: request.url ?? '', headers, body, atMs: Date.now() });
    answer(response, received.length - 1, request);
  });
  await new Promise<void>((resolve) => server.unref().listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
