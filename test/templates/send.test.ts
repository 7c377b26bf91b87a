import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DEMO_TEMPLATES } from '../../sandbox/demo-templates.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { lineOf } from '../support/notifications.ts';
import { transmitsOf } from '../support/transmits.ts';

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway({ sandbox: { statuses: 'off' } });
});
after(() => gateway.stop());

const text = (value: string, more: object = {}) => ({ type: 'text', text: value, ...more });
const body = (...parameters: unknown[]) => ({ type: 'body', parameters });
const image = { type: 'image', image: { link: 'https://images.example/1.jpg' } };
const header = { type: 'header', parameters: [image] };
const button = (sub_type: string, index: unknown, ...parameters: unknown[]) => {
  return { type: 'button', sub_type, index, parameters };
};
const payload = { type: 'payload', payload: 'MORE' };
const expiry = { type: 'limited_time_offer', limited_time_offer: { expiration_time_ms: 1_900_000_000_000 } };
const offer = { type: 'limited_time_offer', parameters: [expiry] };
const card = (card_index: number) => ({ card_index, components: [header, button('quick_reply', 0, payload)] });

/** Every approved template of the sandbox, with the right components. */
const RIGHT: [name: string, components: unknown[] | undefined, language?: string][] = [
  ['hello_world', undefined],
  ['order_update', [body(text('Ada'))]],
  ['order_update', [body(text('Ada'))], 'de'],
  ['greeting_named', [body(text('Ada', { parameter_name: 'first_name' }))]],
  ['promo_image', [header, body(text('Ada')), button('url', 0, text('ada')), button('quick_reply', 1, payload)]],
  ['login_code', [body(text('123456')), button('url', '0', text('123456'))]],
  [
    'offer_limited',
    [
      offer,
      body(text('Ada')),
      button('copy_code', 0, { type: 'coupon_code', coupon_code: 'SUMMER25' }),
      button('url', 1, text('S')),
    ],
  ],
  ['carousel_two', [{ type: 'carousel', cards: [card(0), card(1)] }]],
];

const template = (name: string, components?: unknown[], language = 'en_US') => ({
  type: 'template',
  template: { name, language, ...(components !== undefined && { components }) },
});
const phone = (place: number) => `+4477009005${String(place).padStart(2, '0')}`;

/** Sends and validates the same body, and asserts that both say the same about every recipient. */
async function sendAndValidate(request: object) {
  const validated = await gateway.call('POST', '/api/v1/messages/validate', { body: request });
  assert.equal(validated.status, 200, validated.text);
  const sent = await gateway.call('POST', '/api/v1/messages/send', { body: request });
  assert.equal(sent.status, 200, sent.text);
  assert.equal(validated.json.results.length, sent.json.results.length);
  for (const [place, entry] of sent.json.results.entries()) {
    const { to, status, error } = validated.json.results[place];
    assert.deepEqual([to, status, error], [entry.to, entry.status === 'accepted' ? 'valid' : 'invalid', entry.error]);
  }
  assert.equal(validated.json.valid_count, sent.json.accepted_count);
  assert.equal(validated.json.invalid_count, sent.json.failed_count);
  return sent.json.results;
}

describe('every approved template of the sandbox', () => {
  for (const [place, [name, components, language]] of RIGHT.entries())
    it(`is sent as it was given: ${name}${language === undefined ? '' : ` in ${language}`}`, async () => {
      const [entry] = await sendAndValidate({ to: phone(place), ...template(name, components, language) });
      assert.equal(entry.status, 'accepted', JSON.stringify(entry.error));
      const [transmit, ...more] = await transmitsOf(gateway.sandbox, phone(place));
      assert.deepEqual(more, []);
      assert.deepEqual(transmit?.body.template, {
        name,
        language: { code: language ?? 'en_US' },
        ...(components !== undefined && { components }),
      });
    });
});

describe('a one-time-password button that is listed as such', () => {
  it('is filled like a link', async () => {
    const { businessAccountId } = await lineOf(gateway);
    const buttons = [{ type: 'OTP', otp_type: 'COPY_CODE', text: 'Copy code' }];
    const code = {
      ...{ name: 'code', language: 'en_US', status: 'APPROVED', category: 'AUTHENTICATION' },
      components: [
        { type: 'BODY', text: '{{1}} is your code.' },
        { type: 'BUTTONS', buttons },
      ],
    };
    const given = { business_account_id: businessAccountId, templates: [...DEMO_TEMPLATES, code] };
    const put = await fetch(`${gateway.sandbox.url}/_sandbox/templates`, {
      method: 'POST',
      body: JSON.stringify(given),
    });
    assert.equal(put.status, 200, await put.text());
    const filled = [body(text('123456')), button('url', 0, text('123456'))];
    const [entry] = await sendAndValidate({ to: phone(70), ...template('code', filled) });
    assert.equal(entry.status, 'accepted', JSON.stringify(entry.error));
    const [unfilled] = await sendAndValidate({ to: phone(70), ...template('code', filled.slice(0, 1)) });
    assert.equal(unfilled.error.code, 'template_parameters_invalid');
  });
});

describe('a template that may not be sent', () => {
  for (const [name, code, fault] of [
    ['promo_paused', 'template_paused', 'sender'],
    ['promo_disabled', 'template_disabled', 'sender'],
    ['promo_pending', 'template_not_approved', 'caller'],
    ['promo_rejected', 'template_not_approved', 'caller'],
    ['no_such_template', 'template_not_found', 'caller'],
  ] as const)
    it(`is told before it is transmitted: ${name}`, async () => {
      const to = ['+447700900590', '+447700900591'];
      const results = await sendAndValidate({ to, ...template(name, [body(text('Ada'))]) });
      for (const { status, error, id } of results) {
        assert.deepEqual([status, error.code, error.fault, error.retryable], ['failed', code, fault, false]);
        assert.match(id, /^msg_/);
      }
      assert.deepEqual(await transmitsOf(gateway.sandbox, to[0]), []);
    });

  it('names the languages that there are', async () => {
    const [{ error }] = await sendAndValidate({ to: phone(60), ...template('order_update', [], 'fr') });
    assert.equal(error.code, 'template_not_found');
    assert.match(error.message, /de, en_US/);
  });
});

describe('components of one recipient among shared ones', () => {
  it('replace the shared ones for that recipient only, and their faults stand at their own place', async () => {
    const results = await sendAndValidate({
      to: [
        phone(61),
        { to: phone(62), components: [body(text('Grace'))] },
        'nobody',
        { to: phone(63), components: [body()] },
        { to: phone(64), components: [] },
        { to: phone(68), components: [body(text(''))] },
        { to: phone(65), components: [body(image, text('b')), button('url', 3, text('x'))] },
        phone(61),
      ],
      ...template('order_update', [body(text('Ada'))]),
    });
    assert.deepEqual(
      results.map(({ status }: { status: string }) => status),
      ['accepted', 'accepted', 'failed', 'failed', 'failed', 'failed', 'failed', 'failed'],
    );
    // biome-ignore lint/suspicious/noExplicitAny: a test asserts on every member that it reads.
    const errors = results.map(({ error }: any) => error?.errors ?? error?.code);
    assert.deepEqual(
      errors
        .slice(2)
        .map((error: { pointer: string }[] | string) =>
          typeof error === 'string' ? error : error.map(({ pointer }) => pointer),
        ),
      [
        'invalid_recipient',
        ['#/to/3/components/0/parameters'],
        ['#/to/4/components'],
        ['#/to/5/components/0/parameters/0/text'],
        ['#/to/6/components/0/parameters', '#/to/6/components/0/parameters/0/type', '#/to/6/components/1/index'],
        'duplicate_recipient',
      ],
    );
    assert.deepEqual(errors[3], [
      {
        pointer: '#/to/3/components/0/parameters',
        detail: 'The body of the template has another number of variables.',
        expected: '1',
        given: '0',
      },
    ]);
    const sent = await transmitsOf(gateway.sandbox, phone(62));
    assert.equal(sent[0]?.body.template.components[0].parameters[0].text, 'Grace');
  });

  it('shared faults are every recipient’s who has none of their own', async () => {
    const results = await sendAndValidate({
      to: [phone(66), { to: phone(67), components: [body(text('Grace'))] }],
      ...template('order_update'),
    });
    assert.deepEqual([results[0].status, results[1].status], ['failed', 'accepted']);
    assert.deepEqual(results[0].error.errors, [
      {
        pointer: '#/template/components',
        detail: 'The body component is missing.',
        expected: '1 parameter',
        given: 'none',
      },
    ]);
  });

  it('50 recipients, each wrong in another way or right, are told in one answer', async () => {
    const to = Array.from({ length: 50 }, (_, place) => {
      const parameters = Array.from({ length: place % 5 }, () => text('a'));
      return { to: `+44770090070${String(place).padStart(2, '0')}`.slice(0, 14), components: [body(...parameters)] };
    });
    const results = await sendAndValidate({ to, ...template('order_update') });
    for (const [place, { status, error }] of results.entries()) {
      assert.equal(status, place % 5 === 1 ? 'accepted' : 'failed', `${place}`);
      if (place % 5 === 1) continue;
      const [{ pointer, given }] = error.errors;
      assert.deepEqual([pointer, given], [`#/to/${place}/components/0/parameters`, String(place % 5)]);
    }
  });
});
