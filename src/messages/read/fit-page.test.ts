import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway({ sandbox: { statuses: 'off' } });
});
after(() => gateway.stop());

const TEMPLATE = { name: 'order_update', language: 'en_US' };

/** What is of a kind that we do not know is the provider's affair, and passed on. */
const components = (letters: number) => [
  { type: 'body', parameters: [{ type: 'text', text: 'Ada' }] },
  { type: 'new', it: 'y'.repeat(letters) },
];

async function send(to: unknown[], template: object = TEMPLATE): Promise<string[]> {
  const { json } = await gateway.call('POST', '/api/v1/messages/send', { body: { to, type: 'template', template } });
  return json.results.map(({ id }: { id: string }) => id);
}

it('A page of messages ends where their contents have 1 MiB, and the next one goes on there', async () => {
  const sent = [
    ...(await send(['+447700910001', '+447700910002'].map((to) => ({ to, components: components(500_000) })))),
    ...(await send(['+447700910003', '+447700910004'], { ...TEMPLATE, components: components(600_000) })),
    ...(await send(['+447700910005', '+447700910006'], { ...TEMPLATE, components: components(2) })),
    // Read for a message that has its own, and not shown.
    ...(await send([{ to: '+447700910007', components: components(2) }], {
      ...TEMPLATE,
      components: components(900_000),
    })),
    ...(await send([{ to: '+447700910008', components: components(2) }], {
      ...TEMPLATE,
      components: components(900_000),
    })),
  ];
  const pages: string[][] = [];
  for (let cursor = ''; cursor !== 'null'; ) {
    const { json } = await gateway.call('GET', `/api/v1/messages?limit=5${cursor && `&cursor=${cursor}`}`);
    for (const message of json.data) {
      const whole = (await gateway.call('GET', `/api/v1/messages/${message.id}`)).json;
      assert.deepEqual({ ...message, timeline: whole.timeline }, whole);
    }
    pages.push(json.data.map(({ id }: { id: string }) => id));
    cursor = String(json.next_cursor);
  }
  assert.deepEqual(pages.flat(), sent.toReversed());
  assert.deepEqual(
    pages.map(({ length }) => length),
    [1, 3, 1, 1, 2],
  );
});
