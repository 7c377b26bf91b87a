import Fastify from 'fastify';
import { Pool } from 'undici';
import { listenAsChild } from '../harness/listen-as-child.ts';

/** The least that can send one text to many people at once and say what became of each: no key, no check, no store. */
const [providerOrigin = ''] = process.argv.slice(2);
const provider = new Pool(providerOrigin, { connections: 64 });
const app = Fastify();

app.post<{ Body: { to: string[]; text: { body: string } } }>('/send', async (request) => {
  const { to: recipients, text } = request.body;
  return Promise.all(recipients.map((to) => sendOne(to, text)));
});

async function sendOne(to: string, text: { body: string }): Promise<unknown> {
  const { body } = await provider.request({
    method: 'POST',
    path: '/v25.0/1/messages',
    headers: { authorization: 'Bearer token', 'content-type': 'application/json' },
    body: JSON.stringify({ messaging_product: 'whatsapp', recipient_type: 'individual', to, type: 'text', text }),
  });
  return body.json();
}

await app.ready();
await listenAsChild(app.server);
