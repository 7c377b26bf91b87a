import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { DEMO_TEMPLATES } from '../../../../../sandbox/demo-templates.ts';
import { isRecord } from '../../../../kernel/is-record.ts';
import type { TemplateComponent } from '../../../port.ts';
import { checkAgainstTemplate } from './check-against-template.ts';

/** Checks against one of the sandbox's templates. */
function faultsOf(name: string, components: readonly TemplateComponent[]) {
  const listed = DEMO_TEMPLATES.find((one) => one.name === name);
  if (listed === undefined) throw new Error(`There is no template ${name}`);
  const parameterFormat = listed.parameter_format === 'NAMED' ? 'named' : 'positional';
  return checkAgainstTemplate({ parameterFormat, components: listed.components }, components, '#/template/components');
}

/** Where, what was expected and what was given, of each fault. */
function told(name: string, components: readonly TemplateComponent[]) {
  return faultsOf(name, components).map(({ pointer, expected, given }) => [
    pointer.replace('#/template/components', ''),
    expected,
    given,
  ]);
}

const text = (value: string) => ({ type: 'text', text: value });
const body = (...parameters: unknown[]) => ({ type: 'body', parameters });
const image = { type: 'image', image: { link: 'https://images.example/1.jpg' } };
const header = (...parameters: unknown[]) => ({ type: 'header', parameters });
const button = (sub_type: string, index: unknown, ...parameters: unknown[]) => {
  return { type: 'button', sub_type, index, parameters };
};
const payload = { type: 'payload', payload: 'STOP' };
const coupon = { type: 'coupon_code', coupon_code: 'SUMMER25' };
const offer = {
  type: 'limited_time_offer',
  parameters: [{ type: 'limited_time_offer', limited_time_offer: { expiration_time_ms: 1_900_000_000_000 } }],
};
const card = (card_index: unknown, ...components: unknown[]) => ({ card_index, components });
const carousel = (...cards: unknown[]) => ({ type: 'carousel', cards });
const cardParts = [header(image), button('quick_reply', 0, payload)];

const PROMO = [header(image), body(text('Ada')), button('url', 0, text('a'))];
const OFFER = [offer, body(text('Ada')), button('copy_code', 0, coupon), button('url', 1, text('a'))];

describe('what fits', () => {
  const right: [string, TemplateComponent[]][] = [
    ['hello_world', []],
    ['hello_world', [body(), header()]],
    ['order_update', [body(text('Ada'))]],
    ['order_update', [{ type: 'BODY', parameters: [{ type: 'TEXT', text: 'Ada' }] }]],
    ['order_update', [body({ type: 'date_time', date_time: { fallback_value: '5 May' } })]],
    ['order_update', [body(text('x'.repeat(32_768)))]],
    ['order_update', [body(text('😀'.repeat(32_768)))]],
    ['greeting_named', [body({ ...text('Ada'), parameter_name: 'first_name' })]],
    ['promo_image', PROMO],
    ['promo_image', [...PROMO, button('quick_reply', '1', payload)]],
    ['login_code', [body(text('123456')), button('url', '0', text('123456'))]],
    ['offer_limited', OFFER],
    ['carousel_two', [carousel(card(0, ...cardParts), card('1', ...cardParts))]],
    ['carousel_two', [carousel(card(1, ...cardParts), card(0, ...cardParts))]],
    ['order_update', [body(text('Ada')), { type: 'order_status', anything: true }]],
    // What the provider may have added since.
    ['order_update', [body({ type: 'sparkle', sparkle: { a: 1 } })]],
    [
      'promo_image',
      [header({ type: 'hologram', hologram: {} }), body(text('Ada')), button('url', 0, { type: 'sparkle' })],
    ],
    ['promo_image', [...PROMO, button('sparkle', 1, { type: 'sparkle' })]],
  ];
  for (const [name, components] of right)
    it(`passes: ${name} with ${JSON.stringify(components).slice(0, 60)}`, () =>
      assert.deepEqual(told(name, components), []));
});

describe('what does not fit is told with its place, what was expected and what was given', () => {
  const wrong: Record<string, [string, TemplateComponent[], unknown[]]> = {
    'a missing body': ['order_update', [], [['', '1 parameter', 'none']]],
    'too few parameters': ['order_update', [body()], [['/0/parameters', '1', '0']]],
    'too many parameters': ['order_update', [body(text('a'), text('b'))], [['/0/parameters', '1', '2']]],
    'a body without parameters': ['order_update', [{ type: 'body' }], [['/0/parameters', '1', '0']]],
    'parameters that nothing takes': ['hello_world', [body(text('a'))], [['/0/parameters', '0', '1']]],
    'a header that takes nothing': [
      'hello_world',
      [header(image)],
      [
        ['/0/parameters', '0', '1'],
        ['/0/parameters/0/type', 'text, currency, date_time', 'image'],
      ],
    ],
    'a second body': ['order_update', [body(text('a')), body(text('b'))], [['/1', 'one', undefined]]],
    'a parameter of another kind': [
      'order_update',
      [body(image)],
      [['/0/parameters/0/type', 'text, currency, date_time', 'image']],
    ],
    'a text that is too long': [
      'promo_image',
      [header(image), body(text('x'.repeat(1_025))), button('url', 0, text('a'))],
      [['/1/parameters/0/text', 'at most 1024 characters', '1025']],
    ],
    'an empty text': ['order_update', [body(text(''))], [['/0/parameters/0/text', 'at least 1 character', '0']]],
    'an empty text of a link': [
      'login_code',
      [body(text('1')), button('url', 0, text(''))],
      [['/1/parameters/0/text', 'at least 1 character', '0']],
    ],
    'two payloads of one reply': [
      'promo_image',
      [...PROMO, button('quick_reply', 1, payload, payload)],
      [[`/${PROMO.length}/parameters`, 'at most 1', '2']],
    ],
    'an empty payload of a reply': [
      'promo_image',
      [...PROMO, button('quick_reply', 1, { type: 'PAYLOAD', payload: '' })],
      [[`/${PROMO.length}/parameters/0/payload`, 'at least 1 character', '0']],
    ],
    'a name that the template does not have': [
      'greeting_named',
      [body({ ...text('Ada'), parameter_name: 'firstname' })],
      [['/0/parameters/0/parameter_name', 'first_name', 'firstname']],
    ],
    'a missing name': [
      'greeting_named',
      [body(text('Ada'))],
      [['/0/parameters/0/parameter_name', 'first_name', 'none']],
    ],
    'a missing header and button': [
      'promo_image',
      [body(text('Ada'))],
      [
        ['', 'image', 'none'],
        ['', 'url at index 0', 'none'],
      ],
    ],
    'media of another kind': [
      'promo_image',
      [header({ type: 'video', video: { id: '1' } }), ...PROMO.slice(1)],
      [['/0/parameters/0/type', 'image', 'video']],
    ],
    'two media': ['promo_image', [header(image, image), ...PROMO.slice(1)], [['/0/parameters', '1', '2']]],
    'a button that does not exist': [
      'promo_image',
      [...PROMO, button('quick_reply', 2, payload)],
      [['/3/index', '0 to 1', '2']],
    ],
    'a button where there are none': [
      'order_update',
      [body(text('a')), button('url', 0, text('a'))],
      [['/1/index', 'no buttons', '0']],
    ],
    'a button filled twice': [
      'promo_image',
      [...PROMO, button('url', '0', text('b'))],
      [['/3/index', undefined, undefined]],
    ],
    'a button of another kind': [
      'promo_image',
      [header(image), body(text('a')), button('quick_reply', 0, payload)],
      [['/2/sub_type', 'url', 'quick_reply']],
    ],
    'a link without its parameter': [
      'promo_image',
      [header(image), body(text('a')), button('url', 0)],
      [['/2/parameters', '1', '0']],
    ],
    'a link filled with a payload': [
      'promo_image',
      [header(image), body(text('a')), button('url', 0, payload)],
      [['/2/parameters/0/type', 'text', 'payload']],
    ],
    'a reply filled with a code': [
      'promo_image',
      [...PROMO, button('quick_reply', 1, coupon)],
      [['/3/parameters/0/type', 'payload, text', 'coupon_code']],
    ],
    'a login code without its button': ['login_code', [body(text('1'))], [['', 'url at index 0', 'none']]],
    'an offer without its time': ['offer_limited', OFFER.slice(1), [['', 'an expiry time', 'none']]],
    'an offer with an empty time': [
      'offer_limited',
      [{ type: 'limited_time_offer' }, ...OFFER.slice(1)],
      [['/0/parameters', '1', '0']],
    ],
    'an offer with something else in the place of its time': [
      'offer_limited',
      [{ type: 'limited_time_offer', parameters: [text('tomorrow')] }, ...OFFER.slice(1)],
      [['/0/parameters/0/type', 'limited_time_offer', 'text']],
    ],
    'a code without its parameter': [
      'offer_limited',
      [offer, body(text('a')), button('copy_code', 0), OFFER[3] ?? {}],
      [['/2/parameters', '1', '0']],
    ],
    'an offer that the template does not make': ['order_update', [body(text('a')), offer], [['/1', 'none', undefined]]],
    'missing cards': ['carousel_two', [], [['', '2 cards', 'none']]],
    'too few cards': ['carousel_two', [carousel(card(0, ...cardParts))], [['/0/cards', '2', '1']]],
    'cards that nothing takes': ['order_update', [body(text('a')), carousel(card(0))], [['/1/cards', '0', '1']]],
    'a card given twice': [
      'carousel_two',
      [carousel(card(0, ...cardParts), card(0, ...cardParts))],
      [['/0/cards/1/card_index', '0 to 1, each once', '0']],
    ],
    'a card that does not exist': [
      'carousel_two',
      [carousel(card(0, ...cardParts), card(2, ...cardParts))],
      [['/0/cards/1/card_index', '0 to 1, each once', '2']],
    ],
    'a part of a card': [
      'carousel_two',
      [carousel(card(0, ...cardParts), card(1, button('url', 0, text('a'))))],
      [
        ['/0/cards/1/components', 'image', 'none'],
        ['/0/cards/1/components/0/sub_type', 'quick_reply', 'url'],
      ],
    ],
  };
  for (const [what, [name, components, expected]] of Object.entries(wrong))
    it(what, () => {
      assert.deepEqual(told(name, components), expected);
      for (const { detail } of faultsOf(name, components)) assert.match(detail, /^[A-Z].*\.$/);
    });
});

describe('what no template of the sandbox has', () => {
  const placesOf = (components: unknown[], given: TemplateComponent[], parameterFormat: 'positional' | 'named') =>
    checkAgainstTemplate({ parameterFormat, components }, given, '').map(({ pointer }) => pointer);
  const wrong = (components: unknown[], ...given: TemplateComponent[]) => placesOf(components, given, 'positional');

  it('a header with a variable takes a text of 60 characters, whether or not its format is named', () => {
    for (const format of [{ format: 'TEXT' }, {}]) {
      const template = [{ type: 'HEADER', text: 'For {{1}}', ...format }];
      assert.deepEqual(wrong(template, header(text('😀'.repeat(60)))), []);
      assert.deepEqual(wrong(template, header(text('x'.repeat(61)))), ['/0/parameters/0/text']);
      assert.deepEqual(wrong(template), ['']);
    }
  });

  it('a variable that stands twice is filled once, with or without spaces in its brackets', () => {
    const template = [{ type: 'BODY', text: '{{1}}, {{ 2 }} and {{1}}' }];
    assert.deepEqual(wrong(template, body(text('a'), text('b'))), []);
    assert.deepEqual(wrong(template, body(text('a'), text('b'), text('a'))), ['/0/parameters']);
  });

  it('a value is as long as the template allows', () => {
    const filled = (length: number) => body(text('x'.repeat(length)));
    const alone = [{ type: 'BODY', text: '{{1}}' }];
    const beside = [...alone, { type: 'FOOTER', text: 'Bye' }];
    assert.deepEqual([wrong(alone, filled(32_768)), wrong(beside, filled(1_024))], [[], []]);
    for (const [template, length] of [
      [alone, 32_769],
      [beside, 1_025],
    ] as const)
      assert.deepEqual(wrong([...template], filled(length)), ['/0/parameters/0/text']);
  });

  it('each name is filled, and none twice', () => {
    const template = [{ type: 'BODY', text: '{{first}} {{last}}' }];
    const named = (name: string) => ({ ...text('x'), parameter_name: name });
    assert.deepEqual(placesOf(template, [body(named('last'), named('first'))], 'named'), []);
    const twice = placesOf(template, [body(named('first'), named('first'))], 'named');
    assert.deepEqual(twice, ['/0/parameters/1/parameter_name']);
  });

  it('a header of any media takes one of its kind', () => {
    for (const format of ['IMAGE', 'VIDEO', 'DOCUMENT', 'LOCATION']) {
      const template = [{ type: 'HEADER', format }];
      assert.deepEqual(wrong(template, header({ type: format })), []);
      assert.deepEqual(wrong(template, header({ type: format === 'VIDEO' ? 'image' : 'video' })), [
        '/0/parameters/0/type',
      ]);
      assert.deepEqual([wrong(template), wrong(template, header())], [[''], ['/0/parameters']]);
    }
  });

  it('an offer that need not expire may tell when it does', () => {
    for (const more of [
      {},
      { limited_time_offer: { text: 'Now' } },
      { limited_time_offer: { has_expiration: false } },
    ]) {
      const template = [{ type: 'LIMITED_TIME_OFFER', ...more }];
      for (const given of [[], [offer], [{ type: 'limited_time_offer' }]])
        assert.deepEqual(wrong(template, ...given), []);
      assert.deepEqual(wrong(template, { type: 'limited_time_offer', parameters: [text('tomorrow')] }), [
        '/0/parameters/0/type',
      ]);
    }
  });

  it('a link without a variable takes nothing, and no button is taken for one of another known kind', () => {
    const template = [{ type: 'BUTTONS', buttons: [{ type: 'URL', url: 'https://a.example/' }] }];
    assert.deepEqual([wrong(template), wrong(template, button('url', 0))], [[], []]);
    assert.deepEqual(wrong(template, button('url', 0, text('a'))), ['/0/parameters']);
    for (const kind of ['quick_reply', 'copy_code', 'flow', 'voice_call', 'phone_number', 'catalog', 'mpm'])
      assert.deepEqual(wrong(template, button(kind, 0)), ['/0/sub_type'], kind);
  });
});

describe('what is not known here is left to the provider', () => {
  const template = (...components: unknown[]) => ({ parameterFormat: 'positional' as const, components });
  it('a header of an unknown format takes anything or nothing', () => {
    const product = template({ type: 'HEADER', format: 'PRODUCT' }, { type: 'BODY', text: 'Look' });
    const given = header({ type: 'product', product: { product_retailer_id: '1', catalog_id: '2' } });
    assert.deepEqual(checkAgainstTemplate(product, [given], '#'), []);
    assert.deepEqual(checkAgainstTemplate(product, [], '#'), []);
  });

  it('a button of an unknown kind takes anything or nothing', () => {
    const flow = template({ type: 'BUTTONS', buttons: [{ type: 'FLOW', text: 'Start' }, { type: 'VOICE_CALL' }] });
    const given = button('flow', 0, { type: 'action', action: { flow_token: '1' } });
    assert.deepEqual(checkAgainstTemplate(flow, [given], '#'), []);
    assert.deepEqual(checkAgainstTemplate(flow, [], '#'), []);
  });

  it('a one-time password is filled like a link, however the provider lists its button', () => {
    const otp = template(
      { type: 'BODY', text: '{{1}}' },
      { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] },
    );
    assert.deepEqual(checkAgainstTemplate(otp, [body(text('1')), button('url', 0, text('1'))], '#'), []);
    assert.equal(checkAgainstTemplate(otp, [body(text('1'))], '#').length, 1);
    const unlisted = template({ type: 'BODY', add_security_recommendation: true }, ...otp.components.slice(1));
    assert.deepEqual(checkAgainstTemplate(unlisted, [body(text('1')), button('url', 0, text('1'))], '#'), []);
    assert.equal(checkAgainstTemplate(unlisted, [body(text('1')), body(text('1'))], '#').length, 2);
  });
});

describe('the check of components against a template', () => {
  const word = fc.constantFrom(
    ...[
      'type',
      'header',
      'body',
      'button',
      'buttons',
      'carousel',
      'cards',
      'card_index',
      'components',
      'format',
      'IMAGE',
    ],
    ...['parameters', 'text', 'index', 'sub_type', 'url', 'URL', 'COPY_CODE', 'limited_time_offer', 'has_expiration'],
    ...['parameter_name', '{{1}}', 'https://a.example/{{1}}', 'toString', 'valueOf', '__proto__', '0', ''],
  );
  const { json } = fc.letrec<{ json: unknown }>((tie) => ({
    json: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      word,
      fc.integer({ min: -2, max: 11 }),
      fc.constantFrom(null, true, Number.MAX_VALUE, 1.5),
      fc.array(tie('json'), { maxLength: 4 }),
      fc.dictionary(word, tie('json'), { maxKeys: 6 }),
    ),
  }));
  const kind = fc.constantFrom('header', 'body', 'button', 'buttons', 'carousel', 'limited_time_offer', 'BODY');
  const part = fc.tuple(fc.dictionary(word, json, { maxKeys: 6 }), kind).map(([more, type]) => ({ ...more, type }));
  const parts = fc.array(part, { maxLength: 4 });

  it('tells no more faults than a message can hold, however many there are', () => {
    const wrong = (count: number) => new Array(count).fill(button('url', 0, ...new Array(100).fill(coupon)));
    const few = faultsOf('promo_image', wrong(0)).length;
    assert.ok(few > 0);
    for (const count of [10, 100]) {
      const faults = faultsOf('promo_image', wrong(count));
      assert.ok(faults.length > few);
      assert.ok(JSON.stringify(faults).length < 20_000);
    }
  });

  it('never throws, whatever the JSON of either is, and tells places within what was given', () => {
    const list = fc.oneof(parts, fc.constantFrom(...DEMO_TEMPLATES.map(({ components }) => [...components])));
    fc.assert(
      fc.property(fc.array(json), list, fc.constantFrom('named', 'positional'), (anything, components, format) => {
        for (const template of [anything, components, DEMO_TEMPLATES.flatMap((one) => one.components)])
          for (const given of [components, anything.filter(isRecord)])
            for (const { pointer } of checkAgainstTemplate(
              { parameterFormat: format, components: template },
              given.map((one) => ({ ...one })),
              '#/to/0/components',
            ))
              assert.match(pointer, /^#\/to\/0\/components(\/|$)/);
      }),
      { numRuns: 2_000 },
    );
  });
});
