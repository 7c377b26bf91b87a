import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type ListingServer, listed, pageOf, startListingServer } from '../../../../test/templates/listing-server.ts';
import type { Provider, ProviderTemplate } from '../../port.ts';
import { createWhatsAppProvider } from './client.ts';

const SENDER = { accountId: 'account', mode: 'live', phoneNumberId: '1', accessToken: 'token' } as const;

let server: ListingServer;
let provider: Provider;
before(async () => {
  server = await startListingServer();
  const live = { url: server.url, version: 'v25.0' };
  provider = createWhatsAppProvider({ live, timeoutMs: 20_000, connections: 2, answerBytesMax: 20_000 });
});
after(async () => {
  await provider.close();
  await server.close();
});
beforeEach(() => {
  server.queries.length = 0;
});

async function list(name?: string): Promise<ProviderTemplate[] | 'unavailable'> {
  const outcome = await provider.listTemplates(SENDER, '2', name);
  return outcome.kind === 'found' ? outcome.templates : outcome.kind;
}
const named = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, place) => listed(`template_${place}`, more));

describe('reading templates', () => {
  it('goes on while the provider names a next page, and stops where only a cursor is left', async () => {
    const templates = named(250, { components: [] });
    server.answer = (query) => pageOf(templates, query);
    const read = await list();
    assert.ok(read !== 'unavailable');
    assert.deepEqual(
      read.map(({ name }) => name),
      templates.map(({ name }) => name),
    );
    assert.deepEqual(
      server.queries.map((query) => query.get('after')),
      [null, '100', '200'],
    );
  });

  it('loses no digit of a long number, such as the id of a flow', async () => {
    const button = '{"type":"FLOW","text":"Book","flow_id":12345678901234567891}';
    const body = JSON.stringify({ data: [listed('order', { id: '@', components: ['@'] })] });
    server.answer = () => ({ body: body.replace('"@"', '98765432109876543211').replace('"@"', button) });
    const read = await list();
    assert.ok(read !== 'unavailable');
    assert.deepEqual(
      read.map(({ id, components }) => ({ id, components })),
      [
        {
          id: '98765432109876543211',
          components: [{ type: 'FLOW', text: 'Book', flow_id: '12345678901234567891' }],
        },
      ],
    );
  });

  it('asks for smaller pages where one is too large to be read', async () => {
    const large = named(40, { components: [{ type: 'BODY', text: 'x'.repeat(2_000) }] });
    const templates = [...named(100, { components: [] }), ...large];
    server.answer = (query) => pageOf(templates, query);
    const read = await list();
    assert.ok(read !== 'unavailable');
    assert.deepEqual(
      read.map(({ name }) => name),
      templates.map(({ name }) => name),
      'each once',
    );
    assert.ok(server.queries.some((query) => Number(query.get('limit')) <= 8));
  });

  it('is unavailable if one template alone is too large, and does not go on asking', async () => {
    server.answer = () => ({ body: { data: [listed('huge', { components: ['x'.repeat(30_000)] })] } });
    assert.equal(await list(), 'unavailable');
    assert.ok(server.queries.length < 10);
  });

  for (const [what, answer] of Object.entries({
    'a server error': { status: 500, body: '<html>' },
    'a refusal': { status: 400, body: { error: { code: 190, message: 'Invalid token' } } },
    'no JSON': { body: '{"data": [' },
    'no list': { body: { data: {} } },
    'a page of null': { body: null },
    'a page that goes on and does not say where': { body: { data: [], paging: { next: 'https://graph.example/' } } },
  }))
    it(`is unavailable as a whole if a later page is ${what}`, async () => {
      const templates = named(150);
      server.answer = (query) => (query.has('after') ? answer : pageOf(templates, query));
      assert.equal(await list(), 'unavailable');
    });

  it('ends at a page that leads to itself', async () => {
    server.answer = () => ({ body: { data: named(1), paging: { cursors: { after: 'same' }, next: 'more' } } });
    assert.equal(await list(), 'unavailable');
    assert.equal(server.queries.length, 2);
  });

  it('ends, if the paging never does', async () => {
    const next = 'https://graph.example/';
    server.answer = () => ({ body: { data: [], paging: { cursors: { after: `${server.queries.length}` }, next } } });
    assert.equal(await list(), 'unavailable');
    assert.equal(server.queries.length, 1_000);
  });

  it('ends where the paging comes back to where it was, or does not move', async () => {
    const paging = (after: string) => ({ cursors: { after }, next: 'https://graph.example/' });
    server.answer = () => ({ body: { data: [listed('order')], paging: paging('x') } });
    assert.equal(await list(), 'unavailable');
    assert.equal(server.queries.length, 2);
    server.queries.length = 0;
    server.answer = () => ({ body: { data: [], paging: paging(`${server.queries.length % 3}`) } });
    assert.equal(await list(), 'unavailable');
    assert.equal(server.queries.length, 4);
  });

  it('takes only the very name, although the provider also finds names that contain it', async () => {
    server.answer = (query) =>
      pageOf([listed('order'), listed('order_update'), listed('order', { language: 'de' })], query);
    const read = await list('order');
    assert.ok(read !== 'unavailable');
    assert.deepEqual(
      read.map(({ name, language }) => [name, language]),
      [
        ['order', 'en_US'],
        ['order', 'de'],
      ],
    );
    assert.equal(server.queries[0]?.get('name'), 'order');
  });

  it('reads odd templates as far as they can be read, and leaves out what has no name', async () => {
    const odd = {
      name: 'odd\0\ud800',
      language: 'en',
      id: 7,
      status: null,
      category: 3,
      components: {},
      quality_score: 'GREEN',
    };
    const partly = {
      name: 'partly',
      language: 'en',
      parameter_format: 'NAMED',
      components: [null, 7, 'BODY', [], { type: 'BODY', text: 'a' }],
    };
    server.answer = (query) => pageOf([null, 1, 'x', [], {}, { name: 'a' }, { language: 'en' }, odd, partly], query);
    const unknown = { status: 'unknown', category: 'unknown', parameterFormat: 'positional', quality: null };
    assert.deepEqual(await list(), [
      { ...unknown, id: '7', name: 'odd\ufffd\ufffd', language: 'en', components: [] },
      {
        ...unknown,
        id: '',
        name: 'partly',
        language: 'en',
        parameterFormat: 'named',
        components: [{ type: 'BODY', text: 'a' }],
      },
    ]);
  });
});
