import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How often every node is asked whether it takes work. */
const PROBE_EVERY_MS = 200;
/** A node that has not answered its probe in this time gets no more calls. */
const PROBE_TIMEOUT_MS = 1_000;
/** Above the deadline of a send. */
const ANSWER_TIMEOUT_MS = 30_000;
/** How many nodes may refuse the connection for one call before the balancer gives up. */
const REFUSALS_MAX = 20;
const CALLBACK_PATH = '/api/messaging/webhook';

export interface Balancer {
  url: string;
  add(nodeUrl: string): void;
  remove(nodeUrl: string): void;
  /**
   * The number of calls that each node was given, of those that could not be passed on or were lost, and of notifications that were
   * answered 200.
   */
  counts: { given: Map<string, number>; refused: number; broken: number; callbacksTaken: number };
  close(): Promise<void>;
}

interface Node {
  url: string;
  ready: boolean;
}

/**
 * Does what any load balancer does, and nothing more. Calls go to the ready nodes in turn. If a node cannot be connected to, the call goes
 * to the next one. A call that breaks after it was written is answered 502, because nobody knows what became of it.
 */
export async function startBalancer(): Promise<Balancer> {
  const nodes: Node[] = [];
  const counts = { given: new Map<string, number>(), refused: 0, broken: 0, callbacksTaken: 0 };
  const agent = new Agent({ keepAlive: true });
  let next = 0;

  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const body = Buffer.concat(await incoming.toArray());
    for (let refusals = 0; refusals < REFUSALS_MAX; refusals += 1) {
      const ready = nodes.filter((node) => node.ready);
      const node = ready[next++ % Math.max(1, ready.length)];
      if (node === undefined) break;
      counts.given.set(node.url, (counts.given.get(node.url) ?? 0) + 1);
      const outcome = await forward(agent, node.url, incoming, body, outgoing);
      if (outcome === 'broken') {
        counts.broken += 1;
        outgoing.writeHead(502).end();
      }
      if (outcome === 'answered' && isTakenCallback(incoming, outgoing)) counts.callbacksTaken += 1;
      if (outcome !== 'refused') return;
      counts.refused += 1;
      node.ready = false;
    }
    outgoing.writeHead(503, { 'retry-after': '1' }).end();
  };

  const server = createServer(serve).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const probing = setInterval(() => nodes.forEach(probe), PROBE_EVERY_MS);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    counts,
    add: (url) => void nodes.push({ url, ready: true }),
    remove(url) {
      nodes.splice(
        nodes.findIndex((node) => node.url === url),
        1,
      );
    },
    async close() {
      clearInterval(probing);
      server.closeAllConnections();
      agent.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function isTakenCallback({ url }: IncomingMessage, { statusCode }: ServerResponse): boolean {
  return url?.startsWith(CALLBACK_PATH) === true && statusCode === 200;
}

async function probe(node: Node): Promise<void> {
  const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
  // Whatever goes wrong with a probe, the node is not ready.
  node.ready = await fetch(`${node.url}/readyz`, { signal }).then(
    ({ status }) => status === 200,
    () => false,
  );
}

type Outcome = 'answered' | 'refused' | 'broken';

function forward(
  agent: Agent,
  nodeUrl: string,
  { method, url, headers }: IncomingMessage,
  body: Buffer,
  outgoing: ServerResponse,
): Promise<Outcome> {
  return new Promise((resolve) => {
    const { connection: _, 'transfer-encoding': __, ...passed } = headers;
    const sent = request(new URL(url ?? '/', nodeUrl), { method, headers: passed, agent, timeout: ANSWER_TIMEOUT_MS });
    sent.on('timeout', () => sent.destroy());
    outgoing.on('close', () => outgoing.writableFinished || sent.destroy());
    sent.on('error', (error) => resolve('code' in error && error.code === 'ECONNREFUSED' ? 'refused' : 'broken'));
    sent.on('response', (answer) => {
      const { connection: ___, ...given } = answer.headers;
      outgoing.writeHead(answer.statusCode ?? 502, given);
      answer.pipe(outgoing);
      answer.on('end', () => resolve('answered'));
      answer.on('error', () => {
        outgoing.destroy();
        resolve('answered');
      });
    });
    sent.end(body);
  });
}
