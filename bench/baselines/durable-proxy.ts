import { randomUUID } from 'node:crypto';
import Fastify from 'fastify';
import { Pool as Database } from 'pg';
import { Pool } from 'undici';
import { createBatcher } from '../../src/store/batcher.ts';
import { listenAsChild } from '../harness/listen-as-child.ts';

/**
 * The proxy with the two commits of a send and nothing else: first the message, before it goes out, then what the provider answered. Sends
 * of one moment share a commit, as in the gateway. Everything that the gateway takes beyond this is the price of its other promises.
 */
const [providerOrigin = '', host = '', port = ''] = process.argv.slice(2);
const provider = new Pool(providerOrigin, { connections: 64 });
const database = new Database({ host, port: Number(port), user: 'waypost', database: 'postgres' });
await database.query('create table least_begun (id uuid primary key, recipient text not null, body text not null)');
await database.query('create table least_ended (id uuid primary key, answer text not null)');

type Step = { id: string; begun: { to: string; body: string } } | { id: string; ended: string };

const commits = createBatcher<Step, void>({
  itemsMax: 100,
  flush: async (steps) => {
    const begun = steps.flatMap((step) => ('begun' in step ? [step] : []));
    const ended = steps.flatMap((step) => ('ended' in step ? [step] : []));
    await database.query({
      name: 'commit',
      text: `
        with begun as (insert into least_begun select * from unnest($1::uuid[], $2::text[], $3::text[]))
        insert into least_ended select * from unnest($4::uuid[], $5::text[])`,
      values: [
        begun.map(({ id }) => id),
        begun.map((step) => step.begun.to),
        begun.map((step) => step.begun.body),
        ended.map(({ id }) => id),
        ended.map((step) => step.ended),
      ],
    });
    return steps.map(() => undefined);
  },
});

const app = Fastify();

app.post<{ Body: { to: string; text: { body: string } } }>('/send', async (request, reply) => {
  const { to, text } = request.body;
  const id = randomUUID();
  await commits.add({ id, begun: { to, body: text.body } });
  const { body } = await provider.request({
    method: 'POST',
    path: '/v25.0/1/messages',
    headers: { authorization: 'Bearer token', 'content-type': 'application/json' },
    body: JSON.stringify({ messaging_product: 'whatsapp', recipient_type: 'individual', to, type: 'text', text }),
  });
  const answer = await body.text();
  await commits.add({ id, ended: answer });
  reply.type('application/json');
  return answer;
});

await app.ready();
await listenAsChild(app.server);
