import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { listenAsChild } from './harness/listen-as-child.ts';

/**
 * The provider, as quick as plain node:http allows. Both sides of a comparison send to it. It takes every message, and counts the messages
 * that it has taken and how many different ones these were.
 */
let delayMs = 0;
let taken = 0;
/** Never starts again, so that no two messages of a run have the same id. */
let lastId = 0;
const opaqueIds = new Set<string>();

const NUMBER = { id: '1', verified_name: 'Bench', quality_rating: 'GREEN', throughput: { level: 'HIGH' } };
/** Our id of a message. A baseline does not send one. */
const OPAQUE_ID = /"biz_opaque_callback_data":"([^"]+)"/;
const RECIPIENT = /"to":"([^"]+)"/;

const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => {
    body += chunk;
  });
  request.on('end', () => void answer(request, body, response));
});

async function answer({ url = '', method }: IncomingMessage, body: string, response: ServerResponse): Promise<void> {
  if (url.endsWith('/messages')) {
    if (delayMs > 0) await wait(delayMs);
    return send(response, take(body));
  }
  if (url.startsWith('/_bench/turn')) return send(response, turn(new URL(url, 'http://stub').searchParams));
  send(response, method === 'GET' ? JSON.stringify(NUMBER) : '{"success":true}');
}

function take(body: string): string {
  taken += 1;
  const opaqueId = OPAQUE_ID.exec(body)?.[1];
  if (opaqueId !== undefined) opaqueIds.add(opaqueId);
  const to = RECIPIENT.exec(body)?.[1] ?? '';
  const id = `wamid.${(++lastId).toString(36).padStart(50, 'A')}`;
  return `{"messaging_product":"whatsapp","contacts":[{"input":"${to}","wa_id":"${to.slice(1)}"}],"messages":[{"id":"${id}"}]}`;
}

/** Returns what was taken since the last call, and sets how long each message takes from now on. */
function turn(query: URLSearchParams): string {
  const counts = JSON.stringify({ taken, different: opaqueIds.size });
  delayMs = Number(query.get('delay_ms') ?? 0);
  taken = 0;
  opaqueIds.clear();
  return counts;
}

function send(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

server.keepAliveTimeout = 60_000;
await listenAsChild(server);
