import Fastify from 'fastify';
import { WhatsAppAPI } from 'whatsapp-api-js';
import { Text } from 'whatsapp-api-js/messages';
import { listenAsChild } from '../harness/listen-as-child.ts';

/** A small gateway as somebody writes it in an afternoon: Fastify and a public client of the provider, with no key and no store. */
const [providerOrigin = ''] = process.argv.slice(2);
const PROVIDER = 'https://graph.facebook.com';
const toStub: typeof fetch = (input, init) => fetch(String(input).replace(PROVIDER, providerOrigin), init);
const whatsApp = new WhatsAppAPI({ token: 'token', v: 'v25.0', secure: false, ponyfill: { fetch: toStub } });
const app = Fastify();

app.post<{ Body: { to: string | string[]; text: { body: string } } }>('/send', async (request) => {
  const { to, text } = request.body;
  const results = await Promise.all([to].flat().map((phone) => sendOne(phone, text.body)));
  return { results };
});

async function sendOne(phone: string, body: string): Promise<unknown> {
  try {
    return { to: phone, answer: await whatsApp.sendMessage('1', phone, new Text(body)) };
  } catch (error) {
    return { to: phone, error: String(error) };
  }
}

await app.ready();
await listenAsChild(app.server);
