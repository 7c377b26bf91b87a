import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { listen } from './listen.ts';

/** One request that came through. */
export interface Seen {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** A real HTTP proxy between a client and a gateway. It loses what it is told to lose. */
export interface LossyProxy {
  url: string;
  seen: Seen[];
  /**
   * What happens to the next requests, an item for each. `lose_request` breaks the connection before the gateway gets the request,
   * `lose_answer` when the gateway has answered, `cut` as soon as the gateway has the request. A status is answered by the proxy itself.
   */
  plan: ('lose_request' | 'lose_answer' | 'cut' | 'pass' | { status: number; code?: string; retryAfter?: string })[];
  /** Where requests go. It may be changed. */
  target: string;
  /** Breaks every connection through it. */
  cutAll(): void;
  close(): Promise<void>;
}

export async function startLossyProxy(target: string): Promise<LossyProxy> {
  const server = createServer((incoming, answer) => void handle(proxy, incoming, answer));
  const url = await listen(server);
  const proxy: LossyProxy = {
    url,
    seen: [],
    plan: [],
    target,
    cutAll: () => server.closeAllConnections(),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}

async function handle(proxy: LossyProxy, incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
  const body = Buffer.concat(await incoming.toArray());
  const { method = '', url: path = '', headers, socket } = incoming;
  proxy.seen.push({ method, path, headers, body: body.toString() });
  const step = proxy.plan.shift() ?? 'pass';
  if (step === 'lose_request') return void socket.destroy();
  if (typeof step === 'object') return refuse(answer, step);
  const forwarded = request(proxy.target + path, { method, headers, agent: false });
  // A gateway that is away looks like one whose connections break.
  forwarded.on('error', () => socket.destroy());
  // Of the answer, and not of its connection, which may bring many calls.
  answer.on('close', () => {
    if (step === 'pass') forwarded.destroy();
  });
  forwarded.on('response', (response) => {
    if (step !== 'pass') return void response.resume().on('end', () => socket.destroy());
    answer.writeHead(response.statusCode ?? 502, response.headers);
    response.on('error', () => socket.destroy()).pipe(answer);
  });
  forwarded.end(body, () => {
    if (step === 'cut') socket.destroy();
  });
}

function refuse(
  answer: ServerResponse,
  { status, code, retryAfter }: { status: number; code?: string; retryAfter?: string },
) {
  answer.writeHead(status, {
    'content-type': code === undefined ? 'text/html' : 'application/problem+json',
    ...(retryAfter !== undefined && { 'retry-after': retryAfter }),
  });
  answer.end(code === undefined ? '<h1>Bad gateway</h1>' : JSON.stringify({ status, code, detail: 'As planned.' }));
}
