import { createHash } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { wholeBody } from '../whole-body.ts';

/**
 * A customer's server as a process of its own. It writes down what it gets before it answers, so that a kill loses nothing that it has
 * acknowledged. Some events it refuses, or hangs up on, but only at their first try.
 */
const { RECEIVER_FILE: file = '', RECEIVER_PORT: port = '', RECEIVER_SEED: seed = '' } = process.env;
/** An event draws a lot from 0 to 255. Those below the first are refused, and on those below the second the server hangs up. */
const REFUSED_BELOW = 12;
const HUNG_UP_BELOW = 24;
const tried = new Set<string>();

const server = createServer(async (request, response) => {
  const body = (await wholeBody(request))?.toString();
  if (body === undefined) return;
  const id = String(request.headers['webhook-id']);
  const lot =
    createHash('sha256')
      .update(seed)
      .update(String(Reflect.get(Object(JSON.parse(body)), 'sequence')))
      .digest()[0] ?? 0;
  const isFirst = !tried.has(id);
  tried.add(id);
  if (isFirst && lot < REFUSED_BELOW) return void response.writeHead(500).end();
  appendFileSync(file, `${JSON.stringify({ headers: request.headers, body })}\n`);
  if (isFirst && lot < HUNG_UP_BELOW) return void request.socket.destroy();
  response.writeHead(204).end();
});
process.on('disconnect', () => process.exit(0));
server.listen(Number(port), '127.0.0.1', () => process.send?.('ready'));
