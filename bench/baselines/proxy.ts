import Fastify from 'fastify';
import { Pool } from 'undici';
import { listenAsChild } from '../harness/listen-as-child.ts';

/** The least that can pass a message on: the same HTTP library and client, no key, no check, no store. */
const [providerOrigin = ''] = process.argv.slice(2);
const provider = new Pool(providerOrigin, { connections: 64 });
const app = Fastify();

app.post<{ Body: { to: string; text: { body: string } } }>('/send', async (request, reply) => {
  const { to, text } = request.body;
  const { body } = await provider.request({
    method: 'POST',
    path: '/v25.0/1/messages',
    headers: { authorization: 'Bearer token', 'content-type': 'application/json' },
    body: JSON.stringify({ messaging_product: 'whatsapp', recipient_type: 'individual', to, type: 'text', text }),
  });
  reply.type('application/json');
  return body.text();
});

await app.ready();
await listenAsChild(app.server);
