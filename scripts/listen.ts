import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { printable } from '../cli/table.ts';
import { checkSignature, readHeaders } from '../src/endpoints/check-signature.ts';
import { PlainFault, runTool } from '../src/run-tool.ts';
import { parseJson } from './parse-json.ts';

const HELP = `Receives events on this machine, verifies them and prints what arrived.

  npm run listen                              with the gateway of "npm start": registers itself, and leaves with Ctrl-C
  npm run listen -- --port 9000 --json        all of each event as JSON, one a line
  npm run listen -- --secret whsec_...        for an endpoint that you made yourself

  --port <number>      where to listen on 127.0.0.1; 9000, and 0 for any free port
  --secret <whsec_>    the endpoint's secret; then nothing is registered
  --data-dir <folder>  where the gateway keeps its dev.json; WAYPOST_DATA_DIR, else .waypost
  --json               prints each event whole`;

/** So that what an earlier run could not remove is found by the next one. */
const DESCRIPTION = 'npm run listen';
const BODY_BYTES_MAX = 1 << 20;
const CALL_TIMEOUT_MS = 5_000;

interface Options {
  port: number;
  secret: string | undefined;
  dataDir: string;
  json: boolean;
}

interface Gateway {
  url: string;
  key: string;
}

async function main(): Promise<void> {
  const options = readOptions();
  if (options === 'help') return console.log(HELP);
  const gateway = options.secret === undefined ? await findGateway(options.dataDir) : undefined;
  // An endpoint may be told of an event before we are told of its secret: such an event waits for it.
  const secret = Promise.withResolvers<string>();
  const receiving = { secret: secret.promise, seen: new Set<string>(), json: options.json };
  const server = createServer((request, response) => void receive(request, response, receiving));
  const port = await listen(server, options.port);
  const url = `http://127.0.0.1:${port}/`;
  const registering = gateway && register(gateway, url);
  leaveInOrder(server, registering);
  // Else it would go on listening, although the fault is told and nothing can come.
  const registered = await registering?.catch((error: unknown) => {
    server.close();
    server.closeAllConnections();
    throw error;
  });
  const how = gateway ? `Events of the account of ${gateway.url} come to` : 'Verifying with your secret what comes to';
  console.log(`${how} ${url}. Stop with Ctrl-C.`);
  if (registered !== undefined && registered.beside.length > 0) console.log(warnOf(registered.beside));
  secret.resolve(registered?.secret ?? options.secret ?? '');
}

function readOptions(): Options | 'help' {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '9000' },
      secret: { type: 'string' },
      'data-dir': { type: 'string' },
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help === true) return 'help';
  const port = /^\d{1,5}$/.test(values.port) ? Number(values.port) : Number.NaN;
  if (!(port <= 65_535)) throw new PlainFault('--port must be a number from 0 to 65535.', 2);
  const { secret, json = false } = values;
  if (secret !== undefined && !/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(secret))
    throw new PlainFault('--secret must be whsec_ and base64, as the gateway showed it when the endpoint was made.', 2);
  return { port, secret, json, dataDir: values['data-dir'] ?? (process.env.WAYPOST_DATA_DIR?.trim() || '.waypost') };
}

/** The gateway of this machine, by the file that it wrote at its start. */
async function findGateway(dataDir: string): Promise<Gateway> {
  const path = join(dataDir, 'dev.json');
  // Whatever keeps it from being read, what to do is the same, and the sentence below tells it.
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined)
    throw new PlainFault(
      `There is no ${path}. Start the gateway with "npm start" in another terminal first, name its folder by --data-dir, or give an endpoint's --secret.`,
    );
  const dev = parseJson(text);
  if (dev === undefined)
    throw new PlainFault(`What is in ${path} is no JSON. Start the gateway again, which writes it anew.`);
  return { url: textOf(dev, 'base_url'), key: textOf(dev, 'test_key') };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const inUse = error.code === 'EADDRINUSE';
      reject(
        inUse ? new PlainFault(`The port ${port} is in use. Choose another one with --port, or 0 for any.`) : error,
      );
    });
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

interface Registered {
  secret: string;
  /** The ids of other endpoints that deliver to this address. What is signed for them cannot be verified here. */
  beside: string[];
  remove(): Promise<void>;
}

/** Makes an endpoint for this listener, in the place of one that an earlier run has left. */
async function register(gateway: Gateway, url: string): Promise<Registered> {
  const { data } = await call(gateway, 'GET', '?limit=100');
  const beside: string[] = [];
  for (const endpoint of Array.isArray(data) ? data : []) {
    const id = textOf(endpoint, 'id');
    if (textOf(endpoint, 'url') === url && Reflect.get(endpoint, 'description') === DESCRIPTION)
      await call(gateway, 'DELETE', `/${id}`);
    else if (Reflect.get(endpoint, 'enabled') === true && isSamePlace(textOf(endpoint, 'url'), url)) beside.push(id);
  }
  const created = await call(gateway, 'POST', '', { url, description: DESCRIPTION });
  const id = textOf(created, 'id');
  const remove = async () => void (await call(gateway, 'DELETE', `/${id}`));
  return { secret: textOf(created, 'secret'), beside, remove };
}

/** Every path of this port comes to this listener, by either of the names that it has. */
function isSamePlace(other: string, own: string): boolean {
  const { hostname, port } = new URL(other);
  return ['127.0.0.1', 'localhost'].includes(hostname) && port === new URL(own).port;
}

function warnOf(ids: string[]): string {
  return `Other endpoints of the account deliver here too, and no signature of theirs fits: ${ids.join(', ')}. Delete them, or listen at another --port.`;
}

async function call(gateway: Gateway, method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const answer = await fetch(`${gateway.url}/api/v1/endpoints${path}`, {
    method,
    headers: { authorization: `Bearer ${gateway.key}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
  }).catch(() => {
    throw new PlainFault(`The gateway at ${gateway.url} does not answer. Start it with "npm start".`);
  });
  const text = await answer.text();
  if (!answer.ok) throw new PlainFault(`The gateway refused the endpoint: ${answer.status} ${text}`);
  return text === '' ? {} : Object(JSON.parse(text));
}

interface Receiving {
  secret: Promise<string>;
  /** The ids that came before: an event may come more than once. */
  seen: Set<string>;
  json: boolean;
}

async function receive(request: IncomingMessage, response: ServerResponse, receiving: Receiving): Promise<void> {
  const body = await readBody(request);
  if (body === undefined) return void response.writeHead(413, { connection: 'close' }).end();
  const wrong = findFault(request, body, await receiving.secret);
  if (wrong.length > 0) {
    console.log([`${clock()}  not verified`, ...wrong.map((sentence) => `    ${printable(sentence)}`)].join('\n'));
    return void response.writeHead(401).end();
  }
  const event: Record<string, unknown> = Object(JSON.parse(body));
  console.log(receiving.json ? printableJson(event) : printable(describe(event, receiving.seen)));
  receiving.seen.add(String(event.id));
  response.writeHead(204).end();
}

/** undefined: it is larger than any event, or broke off. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > BODY_BYTES_MAX) return undefined;
    }
  } catch {
    return undefined; // The sender hung up: it will come again, if it was an event.
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Verifies as every customer can, with the public library; the gateway's own words say why not. */
function findFault(request: IncomingMessage, body: string, secret: string): string[] {
  const given = request.headersDistinct;
  const flat = Object.fromEntries(Object.entries(given).map(([name, values]) => [name, values?.[0] ?? '']));
  try {
    new Webhook(secret).verify(body, flat);
    return [];
  } catch (error) {
    const lists = Object.fromEntries(Object.entries(given).map(([name, values]) => [name, values ?? []]));
    const check = { headers: readHeaders(lists), body, sentBody: undefined, secret, previous: null, nowMs: Date.now() };
    const problems = checkSignature(check).problems.map(({ detail }) => detail);
    return problems.length > 0 ? problems : [error instanceof Error ? error.message : String(error)];
  }
}

/** What the writer leaves as it is and a terminal may obey. It can stand in strings only, where it may be escaped. */
function printableJson(event: object): string {
  const escaped = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(event).replace(/[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, escaped);
}

/** One line: when, what, its place in the log, and what happened to whom. */
function describe(event: Record<string, unknown>, seen: Set<string>): string {
  const type = String(event.type);
  const place = typeof event.sequence === 'number' ? `#${event.sequence}` : '';
  const [subject] = Object.values(Object(event.data)).map(describeSubject);
  const again = seen.has(String(event.id)) ? '  (again)' : '';
  return `${clock()}  ${type.padEnd(18)} ${place.padEnd(6)} ${subject ?? ''}${again}`;
}

function describeSubject(subject: unknown): string {
  const {
    id,
    direction,
    to,
    from,
    name,
    phone_number: number,
    url,
    status,
    disabled_reason: reason,
    error,
  } = Object(subject);
  const person = direction === 'inbound' ? from && `from ${from}` : to && `to ${to}`;
  const why = typeof error === 'object' && error !== null ? (error.message ?? error.code) : undefined;
  return [id, person, name, number, url, status, reason, why].filter((word) => typeof word === 'string').join('  ');
}

function clock(): string {
  return new Date().toISOString().slice(11, 23);
}

/** However it is ended: by Ctrl-C, with its terminal, or because nobody reads what it prints, as `| head` does. */
function leaveInOrder(server: Server, registering: Promise<Registered> | undefined): void {
  let leaving = false;
  const leave = () => {
    if (!leaving) void end(server, registering);
    leaving = true;
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, leave);
  for (const stream of [process.stdout, process.stderr]) stream.on('error', leave);
}

async function end(server: Server, registering: Promise<Registered> | undefined): Promise<void> {
  server.close();
  server.closeAllConnections();
  try {
    await (await registering)?.remove();
  } catch (error) {
    if (!(error instanceof PlainFault)) throw error;
    console.error(`The endpoint could not be removed. ${error.message}`);
  }
  process.exit(0);
}

function textOf(value: unknown, member: string): string {
  const text: unknown = Reflect.get(Object(value), member);
  if (typeof text !== 'string') throw new PlainFault(`The gateway's file or answer has no ${member}.`);
  return text;
}

await runTool(main);
