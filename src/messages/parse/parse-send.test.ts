import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { assertProblem, pointersOf } from '../../../test/support/problem.ts';
import { transmitsOf } from '../../../test/support/transmits.ts';

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway();
});
after(() => gateway.stop());

const TEXT = { type: 'text', text: { body: 'Hello' } };
const TEMPLATE = { type: 'template', template: { name: 'order_update', language: 'en_US' } };
const BODY = [{ type: 'body', parameters: [{ type: 'text', text: 'Ada' }] }];
const TO = { to: '+447700900001' };

/** Both calls read a send in the same way, so what must be refused is tried on both. */
async function refuse(body: unknown) {
  const [validated, sent] = [await validate(body), await gateway.call('POST', '/api/v1/messages/send', { body })];
  assert.deepEqual(sent.json?.errors, validated.json?.errors);
  return sent;
}

function validate(body: unknown) {
  return gateway.call('POST', '/api/v1/messages/validate', { body });
}

async function statusOf(body: unknown): Promise<number> {
  return (await validate(body)).status;
}

describe('the body of a send', () => {
  it('must be an object', async () => {
    for (const body of ['[]', '"text"', 'null', '1', 'true']) assert.deepEqual(pointersOf(await refuse(body)), ['#']);
  });

  it('must have "to" and "type", and the member that the type names and not the other', async () => {
    assert.deepEqual(pointersOf(await refuse({})), ['#/to', '#/type']);
    assert.deepEqual(pointersOf(await refuse({ ...TO, type: 'text' })), ['#/text']);
    assert.deepEqual(pointersOf(await refuse({ ...TO, type: 'template' })), ['#/template']);
    assert.deepEqual(pointersOf(await refuse({ ...TO, ...TEMPLATE, ...TEXT })), ['#/template']);
    assert.deepEqual(pointersOf(await refuse({ ...TO, ...TEXT, ...TEMPLATE })), ['#/text']);
    assert.deepEqual(pointersOf(await refuse({ ...TO, ...TEXT, template: null })), ['#/template']);
    for (const type of ['image', 'TEXT', '', null, 1, ['text'], '__proto__'])
      assert.deepEqual(pointersOf(await refuse({ ...TO, ...TEXT, type })), ['#/type']);
  });

  it('has each name that is not known told with those that are known in its place', async () => {
    const body = { to: [{ tel: '+447700900123' }], type: 'text', texts: {}, text: { body: 'Hello', bold: true } };
    const { json } = await refuse(body);
    const told = json.errors.map(({ pointer, detail }: { pointer: string; detail: string }) => `${pointer} ${detail}`);
    const unknown = 'This member is not known. Known here:';
    assert.deepEqual(told, [
      `#/texts ${unknown} to, from, type, text, template, client_reference.`,
      `#/text/bold ${unknown} body, preview_url.`,
      `#/to/0/tel ${unknown} to, user_id, client_reference, components.`,
      '#/to/0 A recipient must have exactly one of "to" and "user_id".',
    ]);
  });

  it('names the faults of a text and a template too where "type" does not tell which of them is meant', async () => {
    const content = { text: { body: '', bold: true }, template: { name: 'order_update', components: {} } };
    const inside = ['#/template/components', '#/template/language', '#/text/body', '#/text/bold'];
    for (const type of [undefined, 'texts', 1])
      assert.deepEqual(pointersOf(await refuse({ ...TO, type, ...content })), [...inside, '#/type']);
    assert.deepEqual(pointersOf(await refuse({ ...TO, text: 'Hello', template: null })), [
      '#/template',
      '#/text',
      '#/type',
    ]);
  });

  it('names every fault at once, with escaped pointers', async () => {
    const body = {
      to: [
        '+447700900001',
        7,
        { to: '+447700900002', user_id: 'GB.1', 'a/b~c d': 1 },
        {},
        { to: 5 },
        { user_id: null },
      ],
      from: 7,
      type: 'text',
      text: { body: '', preview_url: 'yes', bold: true },
      client_reference: 'x'.repeat(256),
      template: {},
      'ü"': 'a\u0000b',
    };
    assert.deepEqual(
      pointersOf(await refuse(body)),
      [
        '#/%C3%BC%22',
        '#/%C3%BC%22',
        '#/client_reference',
        '#/from',
        '#/template',
        '#/text/body',
        '#/text/bold',
        '#/text/preview_url',
        '#/to/1',
        '#/to/2',
        '#/to/2/a~1b~0c%20d',
        '#/to/3',
        '#/to/4/to',
        '#/to/5/user_id',
      ].toSorted(),
    );
  });

  it('has no unknown members at any level, except inside components', async () => {
    assert.deepEqual(pointersOf(await refuse({ ...TO, ...TEXT, Type: 'text' })), ['#/Type']);
    assert.deepEqual(
      pointersOf(await refuse(`{"__proto__":{"to":"+447700900001"},"type":"text","text":{"body":"a"}}`)),
      ['#/__proto__', '#/to'],
    );
    const inText = `{"to":"+447700900001","type":"text","text":{"__proto__":{"body":"a"},"constructor":1}}`;
    assert.deepEqual(pointersOf(await refuse(inText)), ['#/text/__proto__', '#/text/body', '#/text/constructor']);
    const template = { ...TEMPLATE.template, namespace: 'x', language: { code: 'en_US', policy: 'deterministic' } };
    assert.deepEqual(pointersOf(await refuse({ ...TO, type: 'template', template })), [
      '#/template/language/policy',
      '#/template/namespace',
    ]);
    const components = [{ type: 'body', parameters: [{ type: 'text', text: 'Ada', novel: {} }], other: 1 }];
    assert.equal(await statusOf({ ...TO, type: 'template', template: { ...TEMPLATE.template, components } }), 200);
  });

  it('has no U+0000 and no lone surrogates, in values and in names', async () => {
    const raw = (inner: string) => `{"to":"+447700900001","type":"text","text":{"body":${inner}}}`;
    assert.deepEqual(pointersOf(await refuse(raw('"a\\u0000"'))), ['#/text/body']);
    assert.deepEqual(pointersOf(await refuse(raw('"\\ud83d"'))), ['#/text/body']);
    assert.equal(await statusOf(raw('"\\ud83d\\ude00"')), 200);
    assert.deepEqual(pointersOf(await refuse(`{"to":["\\u0000"],"type":"text","text":{"body":"a"}}`)), ['#/to/0']);
    const named = `[{"type":"body","parameters":[],"a\\u0000":1}]`;
    const template = `{"to":"+447700900001","type":"template","template":{"name":"n","language":"de","components":${named}}}`;
    assert.deepEqual(pointersOf(await refuse(template)), ['#/template/components/0']);
  });
});

describe('a text', () => {
  it('has 1 to 4,096 code points', async () => {
    for (const body of ['a', 'a'.repeat(4_096), '😀'.repeat(4_096), ' '])
      assert.equal(await statusOf({ ...TO, type: 'text', text: { body } }), 200);
    for (const body of ['', 'a'.repeat(4_097), '😀'.repeat(4_097), `${'😀'.repeat(4_096)}a`, 5, null, ['a']])
      assert.deepEqual(pointersOf(await refuse({ ...TO, type: 'text', text: { body } })), ['#/text/body']);
    for (const text of ['Hello', null, [], 5])
      assert.deepEqual(pointersOf(await refuse({ ...TO, type: 'text', text })), ['#/text']);
  });

  it('may ask for a preview, by a boolean', async () => {
    for (const preview_url of [true, false])
      assert.equal(await statusOf({ ...TO, type: 'text', text: { body: 'a', preview_url } }), 200);
    const body = { to: '+447700900002', type: 'text', text: { body: 'a', preview_url: true } };
    assert.equal((await gateway.call('POST', '/api/v1/messages/send', { body })).status, 200);
    const [seen] = await transmitsOf(gateway.sandbox, body.to);
    assert.deepEqual(seen?.body.text, body.text);
    for (const preview_url of [null, 'true', 1])
      assert.deepEqual(pointersOf(await refuse({ ...TO, type: 'text', text: { body: 'a', preview_url } })), [
        '#/text/preview_url',
      ]);
  });
});

describe('a template', () => {
  const send = (template: unknown, to: unknown = '+447700900001') => ({ to, type: 'template', template });

  it('has a name and a language, as a text or as the provider writes it', async () => {
    assert.equal(await statusOf(send({ name: 'hello_world', language: 'en_US' })), 200);
    assert.equal(await statusOf(send({ name: 'hello_world', language: { code: 'en_US' } })), 200);
    assert.deepEqual(pointersOf(await refuse(send({}))), ['#/template/language', '#/template/name']);
    assert.deepEqual(pointersOf(await refuse(send({ name: 'n', language: {} }))), ['#/template/language/code']);
    assert.deepEqual(pointersOf(await refuse(send({ name: '', language: ['de'] }))), [
      '#/template/language',
      '#/template/name',
    ]);
  });

  it("has components of known shape, the shared ones and each recipient's own", async () => {
    const own = [{ to: '+447700900002', components: BODY }, '+447700900003'];
    assert.equal(await statusOf(send({ name: 'n', language: 'de', components: BODY }, own)), 200);
    const bad = [{ type: 'button', parameters: 5 }];
    const faults = pointersOf(
      await refuse(send({ name: 'n', language: 'de', components: 'x' }, [{ to: '+447700900002', components: bad }])),
    );
    assert.ok(faults.includes('#/template/components'), faults.join());
    assert.ok(faults.includes('#/to/0/components/0/sub_type'), faults.join());
    const ofText = { to: [{ to: '+447700900002', components: BODY }], ...TEXT };
    assert.deepEqual(pointersOf(await refuse(ofText)), ['#/to/0/components']);
  });
});

describe('"from" and "client_reference"', () => {
  it('are optional texts', async () => {
    for (const from of [null, 7, {}]) assert.deepEqual(pointersOf(await refuse({ ...TO, ...TEXT, from })), ['#/from']);
    assertProblem(await refuse({ ...TO, ...TEXT, from: '' }), 'unknown_channel');
    for (const client_reference of ['a', 'é'.repeat(255), '😀'.repeat(255)])
      assert.equal(await statusOf({ ...TO, ...TEXT, client_reference }), 200);
    for (const client_reference of ['', 'a'.repeat(256), '😀'.repeat(256), null, 5])
      assert.deepEqual(pointersOf(await refuse({ ...TO, ...TEXT, client_reference })), ['#/client_reference']);
    const own = { to: [{ to: '+447700900001', client_reference: '' }], ...TEXT };
    assert.deepEqual(pointersOf(await refuse(own)), ['#/to/0/client_reference']);
  });
});
