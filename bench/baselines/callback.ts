import { createHmac, timingSafeEqual } from 'node:crypto';
import Fastify from 'fastify';
import { listenAsChild } from '../harness/listen-as-child.ts';

/** The least that can take a signed notification: the same HTTP library, the signature over the raw bytes, and no store. */
const [appSecret = ''] = process.argv.slice(2);
const app = Fastify();

app.removeAllContentTypeParsers();
app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

app.post<{ Body: Buffer }>('/api/messaging/webhook', (request, reply) => {
  const expected = `sha256=${createHmac('sha256', appSecret).update(request.body).digest('hex')}`;
  const given = String(request.headers['x-hub-signature-256']);
  const right = given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected));
  reply.code(right ? 200 : 401).send();
});

await app.ready();
await listenAsChild(app.server);
