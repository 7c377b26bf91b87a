import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Transmit } from '../balance/books.ts';
import { createDraw } from '../random.ts';
import { createForwarder, type Forwarded } from './forwarder.ts';
import { type Listener, startListener } from './listener.ts';

/** What may happen to a transmit on its way. With the first two it never reaches the sandbox. */
const TROUBLES = ['reset', 'bad_gateway', 'slow', 'cut_answer', 'hang', 'rubbish', 'half_answer'] as const;
type Trouble = (typeof TROUBLES)[number] | 'none';
const TROUBLE_SHARE = 0.12;
const SLOW_MAX_MS = 1_200;
const HALF_ANSWER_MS = 50;
const MESSAGES_PATH = /^\/v\d+\.\d+\/[^/]+\/messages$/;

/** Stands between the gateways and the sandbox, records every transmit, and spoils some of them. */
export interface ProviderGate extends Listener {
  transmits: Transmit[];
  /** How many calls are on their way now. */
  underWay(): number;
  close(): Promise<void>;
}

export async function startProviderGate(
  seed: number,
  port: number,
  sandboxUrl: () => string | undefined,
): Promise<ProviderGate> {
  const transmits: Transmit[] = [];
  const { forward, underWay, close } = createForwarder(sandboxUrl);

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray());
    const path = request.url ?? '/';
    // A gateway asks whether this is a sandbox. The answer is always yes: otherwise, while the sandbox is away, the gateway would start one
    // of its own.
    if (path.startsWith('/_sandbox/'))
      return reply(response, { status: 200, text: '{"service":"waypost-sandbox","alone":true}' });
    if (request.method === 'POST' && MESSAGES_PATH.test(path)) return transmit(request, response, body);
    const forwarded = await forward(request, body);
    if (forwarded === undefined) request.socket.destroy();
    else reply(response, forwarded);
  }

  async function transmit(request: IncomingMessage, response: ServerResponse, body: Buffer): Promise<void> {
    const { biz_opaque_callback_data: messageId, to }: Record<string, string> = JSON.parse(body.toString());
    const record: Transmit = { messageId: messageId ?? '', to: to ?? '', taken: 'no' };
    transmits.push(record);
    const trouble = troubleOf(seed, record.to);
    if (trouble === 'reset') return void request.socket.resetAndDestroy();
    if (trouble === 'bad_gateway') return void response.writeHead(502).end('<html>Bad gateway</html>');
    if (trouble === 'slow') await wait(createDraw(seed, `${record.to} slow`).below(SLOW_MAX_MS));
    record.taken = 'maybe';
    const forwarded = await forward(request, body);
    if (forwarded === undefined) return void request.socket.destroy();
    record.taken = isTaken(forwarded) ? 'yes' : 'no';
    spoil(trouble, request, response, forwarded);
  }

  const listener = await startListener((request, response) => {
    // If a gateway hangs up or dies in the middle, that is a fault that the run has made, and not one of the gate.
    answer(request, response).catch(() => request.socket.destroy());
  }, port);
  return {
    ...listener,
    transmits,
    underWay,
    async close() {
      await listener.goAway();
      await close();
    },
  };
}

/** The sandbox's own numbers are not disturbed. */
function troubleOf(seed: number, to: string): Trouble {
  const draw = createDraw(seed, to);
  return /^\+?15553/.test(to) && draw.chance(TROUBLE_SHARE) ? draw.pick(TROUBLES) : 'none';
}

function isTaken({ status, text }: Forwarded): boolean {
  return status === 200 && text.includes('"messages"');
}

function spoil(trouble: Trouble, request: IncomingMessage, response: ServerResponse, forwarded: Forwarded): void {
  switch (trouble) {
    case 'cut_answer':
      request.socket.resetAndDestroy();
      return;
    case 'hang':
      return;
    case 'rubbish':
      reply(response, { status: 200, text: '{"messages":[{"id":' });
      return;
    case 'half_answer':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '4000' });
      response.write(forwarded.text);
      setTimeout(() => request.socket.destroy(), HALF_ANSWER_MS);
      return;
    default:
      reply(response, forwarded);
  }
}

function reply(response: ServerResponse, { status, text }: Forwarded): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(text);
}
