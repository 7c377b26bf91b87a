import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import Fastify, { type FastifyInstance } from 'fastify';
import { type DescribedAnswers, watchAnswers } from './described-answers.ts';

const REQUEST_ID = 'req_01k4fak8zte8hbt2w5n6q4r1v0';

describe('watching answers', () => {
  let server: FastifyInstance;
  let answers: DescribedAnswers;
  let next: { status: number; type: string; body: string };

  before(async () => {
    server = Fastify();
    for (const url of ['/healthz', '/api/v1/messages/:id', '/docs'])
      server.get(url, async (_, reply) =>
        reply.code(next.status).header('x-request-id', REQUEST_ID).header('content-type', next.type).send(next.body),
      );
    answers = watchAnswers(server);
    await server.ready();
  });
  after(() => server.close());

  const answer = async (url: string, status: number, type: string, body: unknown) => {
    next = { status, type, body: typeof body === 'string' ? body : JSON.stringify(body) };
    await server.inject({ url });
  };
  const isRefused = (pattern: RegExp) => assert.throws(() => answers.assertDescribed(), pattern);

  it('lets pass what is described, and pages', async () => {
    await answer('/healthz', 200, 'application/json; charset=utf-8', { status: 'alive' });
    await answer('/docs', 418, 'text/html', '<h1>');
    answers.assertDescribed();
  });

  it('refuses a member that is not described', async () => {
    await answer('/healthz', 200, 'application/json', { status: 'alive', more: 1 });
    isRefused(/GET \/healthz answered 200: the body must NOT have additional properties.*more/);
    answers.assertDescribed();
  });

  it('refuses a member that is missing, and one of another type', async () => {
    await answer('/healthz', 200, 'application/json', {});
    isRefused(/must have required property 'status'/);
    await answer('/healthz', 200, 'application/json', { status: 1 });
    isRefused(/\/status must be string/);
  });

  it('refuses a status, a content type, and a text that is no JSON', async () => {
    await answer('/healthz', 202, 'application/json', { status: 'alive' });
    isRefused(/this status is not described/);
    await answer('/healthz', 200, 'text/plain', 'alive');
    isRefused(/the content type is "text\/plain", not "application\/json"/);
    await answer('/healthz', 200, 'application/json', 'alive');
    isRefused(/it is no JSON/);
  });

  it('refuses an error whose code the operation does not have', async () => {
    const problem = {
      ...{ type: 'https://waypost.example/docs/errors/no_channel', title: 't', detail: 'd', request_id: REQUEST_ID },
      ...{ status: 422, code: 'no_channel' },
    };
    await answer('/api/v1/messages/msg_1', 422, 'application/problem+json', problem);
    isRefused(/\/code must be equal to one of the allowed values/);
  });
});
