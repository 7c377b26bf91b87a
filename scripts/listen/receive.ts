import type { IncomingMessage, ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { printableJson } from '../../cli/printable-json.ts';
import { printable } from '../../cli/table.ts';
import { checkSignature, readHeaders } from '../../src/endpoints/check-signature.ts';
import { messageOf } from '../../src/kernel/message-of.ts';
import { clock, describe } from './describe.ts';

/** More than any event has: a notification of 4 MiB may be one message, and its numbers may be longer when they are written again. */
const BODY_BYTES_MAX = 32 << 20;

export interface Receiving {
  secret: Promise<string>;
  /** The ids of the events that came before. An event may come more than once. */
  seen: Set<string>;
  json: boolean;
}

/** Verifies an event, prints it, and answers. */
export async function receive(request: IncomingMessage, response: ServerResponse, receiving: Receiving): Promise<void> {
  const body = await readBody(request);
  if (body === undefined) return void response.writeHead(413, { connection: 'close' }).end();
  const wrong = findFault(request, body, await receiving.secret);
  if (wrong.length > 0) {
    console.log([`${clock()}  not verified`, ...wrong.map((sentence) => `    ${printable(sentence)}`)].join('\n'));
    return void response.writeHead(401).end();
  }
  const event: Record<string, unknown> = Object(JSON.parse(body));
  console.log(receiving.json ? printableJson(JSON.stringify(event)) : printable(describe(event, receiving.seen)));
  receiving.seen.add(String(event.id));
  response.writeHead(204).end();
}

/** undefined if the body is larger than any event, or broke off. */
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
    return undefined; // The sender hung up. If it was an event, it will come again.
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Verifies as any customer can, with the public library. If that refuses, the gateway says why. */
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
    return problems.length > 0 ? problems : [messageOf(error)];
  }
}
