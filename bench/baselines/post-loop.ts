import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { Pool } from 'undici';
import { listenAsChild } from '../harness/listen-as-child.ts';

/** The least that can post events to a customer: one body again and again over undici, with no store, no signature and no record. */
const [endpointOrigin = ''] = process.argv.slice(2);

const server = createServer(async (request, response) => {
  const query = new URL(request.url ?? '', 'http://post-loop').searchParams;
  await postAll(await text(request), Number(query.get('events')), Number(query.get('connections')));
  response.end();
});

async function postAll(body: string, events: number, connections: number): Promise<void> {
  const pool = new Pool(endpointOrigin, { connections });
  let begun = 0;
  const loop = async () => {
    while (begun < events) {
      const headers = { 'content-type': 'application/json', 'webhook-id': `evt_${begun++}` };
      const answer = await pool.request({ method: 'POST', path: '/', headers, body });
      await answer.body.dump();
    }
  };
  await Promise.all(Array.from({ length: connections }, loop));
  await pool.close();
}

await listenAsChild(server);
