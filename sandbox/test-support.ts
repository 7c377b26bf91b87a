import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { TestContext } from 'node:test';
import { listen } from '../client/test/listen.ts';
import { createSandbox, type Sandbox, type SandboxOptions } from './server.ts';

export const APP_SECRET = 'a secret for tests';

const LIMIT_MS = 20_000;

/** One notification as a callback got it. */
export interface Received {
  bytes: Buffer;
  headers: NodeJS.Dict<string | string[]>;
  atMs: number;
  /** What tests look for most: the kind of a status, `text` for an inbound message, or `other`. */
  kind: string;
  body: string;
}

export interface Receiver {
  url: string;
  received: Received[];
  /** Waits until so many have come, and returns them. */
  count(count: number): Promise<Received[]>;
  close(): Promise<void>;
}

/** A callback that answers with what `answer` returns, and keeps everything it gets. */
export async function startReceiver(
  t: TestContext,
  answer: (received: Received, number: number) => number | Promise<number> = () => 200,
): Promise<Receiver> {
  const received: Received[] = [];
  const arrivals = new EventEmitter().setMaxListeners(0);
  const server = createServer(async (request, response) => {
    const bytes = Buffer.concat(await request.toArray());
    const body = bytes.toString('utf8');
    const kind = /"status":"([a-z]+)"/.exec(body)?.[1] ?? (body.includes('"type":"text"') ? 'text' : 'other');
    const one = { bytes, body, kind, headers: request.headers, atMs: Date.now() };
    received.push(one);
    arrivals.emit('one');
    response.statusCode = await answer(one, received.length);
    response.end();
  });
  const url = await listen(server);
  const close = async () => {
    server.closeAllConnections();
    server.close();
  };
  t.after(close);
  const count = async (count: number) => {
    const signal = AbortSignal.timeout(LIMIT_MS);
    while (received.length < count) await once(arrivals, 'one', { signal });
    return received;
  };
  return { url: `${url}/callback`, received, count, close };
}

/** A sandbox that is closed after the test. */
export async function startSandbox(t: TestContext, options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  const sandbox = await createSandbox({ port: 0, appSecret: APP_SECRET, ...options });
  t.after(() => sandbox.close());
  return sandbox;
}

/** Posts a text, or what `body` says instead, as a client of the provider does. */
export function send(sandbox: { url: string }, body: object, token = 'any-token'): Promise<Response> {
  const message = { messaging_product: 'whatsapp', type: 'text', text: { body: 'Hello' }, ...body };
  return post(`${sandbox.url}/v25.0/1001/messages`, message, { authorization: `Bearer ${token}` });
}

/** Posts JSON. */
export function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

/** Reads a member deep within JSON, by names and places. */
export function member(value: unknown, ...path: (string | number)[]): unknown {
  return path.reduce<unknown>((inner, name) => {
    return typeof inner === 'object' && inner !== null ? new Map(Object.entries(inner)).get(String(name)) : undefined;
  }, value);
}

/** The one status, or message, of a notification. */
export function itemOf({ body }: Received): unknown {
  const value = member(JSON.parse(body), 'entry', 0, 'changes', 0, 'value');
  return member(value, 'statuses', 0) ?? member(value, 'messages', 0);
}
