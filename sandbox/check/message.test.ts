import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GraphError } from '../graph-error.ts';
import { Registry } from '../registry.ts';
import { checkEnvelope, checkMessage } from './message.ts';

const text = (value: string) => ({ type: 'text', text: value });
const body = (...parameters: object[]) => ({ type: 'body', parameters });
const image = { type: 'header', parameters: [{ type: 'image', image: { link: 'https://example.com/a.png' } }] };
const button = (subType: string, index: unknown, parameter?: object) => ({
  type: 'button',
  sub_type: subType,
  index,
  parameters: parameter === undefined ? [] : [parameter],
});
const offer = (time: unknown) => ({
  type: 'limited_time_offer',
  parameters: [{ type: 'limited_time_offer', limited_time_offer: { expiration_time_ms: time } }],
});
const payload = (value: string) => ({ type: 'payload', payload: value });
const code = (value: string) => ({ type: 'coupon_code', coupon_code: value });
const named = (name: string) => ({ ...text('Ada'), parameter_name: name });
const coupon = button('copy_code', 0, code('SAVE10'));
const url = (index: number) => button('url', String(index), text('x'));
const card = (index: number, ...components: object[]) => ({ card_index: index, components });
const reply = button('quick_reply', 0, { type: 'payload', payload: 'more' });
const promo = [image, body(text('Ada')), url(0)];
const offered = [offer(1_800_000_000_000), body(text('Ada')), url(1)];
const carousel = (...cards: object[]) => ({ type: 'carousel', cards });

describe('the check of a message', () => {
  const taken: [string, string, object[], string?][] = [
    ['without variables', 'hello_world', []],
    ['with a value', 'order_update', [body(text('Ada'))]],
    ['in another language', 'order_update', [body(text('Ada'))], 'de'],
    ['with four spaces in a row', 'order_update', [body(text('Ada    Grace'))]],
    ['with a value without a type', 'order_update', [body({ text: 'Ada' })]],
    ['with a currency', 'order_update', [body({ type: 'currency', currency: { fallback_value: '$1', code: 'USD' } })]],
    ['with kinds in upper case', 'order_update', [{ type: 'BODY', parameters: [text('Ada')] }]],
    ['with a named value', 'greeting_named', [body({ ...text('Ada'), parameter_name: 'first_name' })]],
    ['with a picture by link and a button', 'promo_image', [image, body(text('Ada')), url(0)]],
    [
      'with a picture by id and both buttons',
      'promo_image',
      [
        { type: 'header', parameters: [{ type: 'image', image: { id: '123' } }] },
        body(text('Ada')),
        url(0),
        button('quick_reply', 1, { type: 'payload', payload: 'stop' }),
      ],
    ],
    ['with a code', 'login_code', [body(text('123456')), url(0)]],
    ['with an offer', 'offer_limited', [offer(1_800_000_000_000), body(text('Ada')), coupon, url(1)]],
    ['with cards', 'carousel_two', [carousel(card(0, image, reply), card(1, image))]],
  ];
  for (const [what, name, components, language] of taken) {
    it(`takes ${name} ${what}`, () => assert.equal(codeOf(template(name, components, language)), undefined));
  }

  const refused: [string, object, number][] = [
    ['an unknown template', template('nothing', []), 132001],
    ['a language that the template is not in', template('hello_world', [], 'de'), 132001],
    ['a pending template', template('promo_pending', [body(text('Ada'))]), 132001],
    ['a rejected template', template('promo_rejected', [body(text('Ada'))]), 132001],
    ['a paused template', template('promo_paused', [body(text('Ada'))]), 132015],
    ['a disabled template', template('promo_disabled', [body(text('Ada'))]), 132016],
    ['too few values', template('order_update', []), 132000],
    ['too many values', template('hello_world', [body(text('Ada'))]), 132000],
    ['a picture in a body', template('order_update', [body({ type: 'image', image: { id: '1' } })]), 132012],
    ['an empty value', template('order_update', [body(text(''))]), 131008],
    ['a value with a line break', template('order_update', [body(text('Ada\nGrace'))]), 132018],
    ['a value with a tab', template('order_update', [body(text('Ada\tGrace'))]), 132018],
    ['a value with five spaces in a row', template('order_update', [body(text('Ada     Grace'))]), 132018],
    ['a value that is too long for the body', template('login_code', [body(text('x'.repeat(1025))), url(0)]), 132005],
    ['a named value without its name', template('greeting_named', [body(text('Ada'))]), 100],
    ['another name', template('greeting_named', [body({ ...text('Ada'), parameter_name: 'last' })]), 132012],
    ['a missing picture', template('promo_image', [body(text('Ada')), url(0)]), 132012],
    ['a picture without link and id', template('promo_image', [header({}), body(text('A')), url(0)]), 131008],
    ['a link that is none', template('promo_image', [header({ link: 'no' }), body(text('A')), url(0)]), 131009],
    ['a film for a picture', template('promo_image', [{ type: 'header', parameters: [{ type: 'video' }] }]), 132012],
    ['a picture with an empty id', template('promo_image', [header({ id: '' }), body(text('A')), url(0)]), 131009],
    ['a name that is no text', template('greeting_named', [body({ ...text('A'), parameter_name: 1 })]), 100],
    ['a name given twice', template('pair_named', [body(named('first'), named('first'))]), 132012],
    ['a currency without its fallback', template('order_update', [body({ type: 'currency', currency: {} })]), 131008],
    ['a date without its value', template('order_update', [body({ type: 'date_time' })]), 131008],
    ['a value that is no object', template('order_update', [{ type: 'body', parameters: ['Ada'] }]), 100],
    ['a value whose type is no text', template('order_update', [body({ type: 1, text: 'Ada' })]), 100],
    ['values that are no list', template('order_update', [{ type: 'body', parameters: text('Ada') }]), 100],
    ['a body twice', template('order_update', [body(text('Ada')), body(text('Ada'))]), 131009],
    ['a missing button value', template('login_code', [body(text('1'))]), 131008],
    ['a button that is not there', template('login_code', [body(text('1')), url(0), url(1)]), 131009],
    [
      'a button of another kind',
      template('login_code', [body(text('1')), button('quick_reply', 0, text('1'))]),
      132012,
    ],
    ['a button twice', template('login_code', [body(text('1')), url(0), url(0)]), 131009],
    [
      'a button without its kind',
      template('login_code', [body(text('1')), { ...url(0), sub_type: undefined }]),
      131008,
    ],
    [
      'two values for one link',
      template('login_code', [body(text('1')), { ...url(0), parameters: [text('1'), text('2')] }]),
      132000,
    ],
    ['a payload for a link', template('login_code', [body(text('1')), button('url', 0, payload('1'))]), 132012],
    ['a code for a quick reply', template('promo_image', [...promo, button('quick_reply', 1, code('A'))]), 132012],
    ['an empty payload', template('promo_image', [...promo, button('quick_reply', 1, payload(''))]), 131008],
    ['a text for a code', template('offer_limited', [...offered, button('copy_code', 0, text('A'))]), 132012],
    ['an empty code', template('offer_limited', [...offered, button('copy_code', 0, code(''))]), 131008],
    ['a button without an index', template('login_code', [body(text('1')), button('url', {}, text('1'))]), 131009],
    ['a missing offer', template('offer_limited', [body(text('A')), coupon, url(1)]), 131008],
    ['an offer without a time', template('offer_limited', [offer('soon'), body(text('A')), coupon, url(1)]), 131009],
    [
      'a code of 16 characters',
      template('offer_limited', [offer(1), body(text('A')), button('copy_code', 0, code('x'.repeat(16))), url(1)]),
      131009,
    ],
    ['one card of two', template('carousel_two', [carousel(card(0, image))]), 132012],
    ['a card twice', template('carousel_two', [carousel(card(0, image), card(0, image))]), 131009],
    ['a card without its picture', template('carousel_two', [carousel(card(0, image), card(1))]), 132012],
    ['an offer that the template does not have', template('hello_world', [offer(1)]), 132012],
    ['a carousel without cards', template('carousel_two', [{ type: 'carousel' }]), 131008],
    ['cards that are no objects', template('carousel_two', [{ type: 'carousel', cards: ['a', 'b'] }]), 131009],
    [
      'a card whose components are no list',
      template('carousel_two', [carousel({ card_index: 0, components: {} }, card(1, image))]),
      100,
    ],
    ['a component that is no object', template('hello_world', ['body']), 100],
    ['components that are no list', template('hello_world', {}), 100],
    ['a template that is no object', { type: 'template', template: 'hello_world' }, 131008],
    ['an answer to no message', { text: { body: 'x' }, context: {} }, 100],
    ['an unknown component', template('hello_world', [{ type: 'footer' }]), 100],
    ['a template without a language', { type: 'template', template: { name: 'hello_world' } }, 131008],
    ['a template without a name', { type: 'template', template: { language: { code: 'en_US' } } }, 131008],
    ['no text', { type: 'text' }, 131008],
    ['an empty text', { text: { body: '' } }, 131009],
    ['a text of 4097 characters', { text: { body: 'é'.repeat(4097) } }, 100],
    ['a preview that is not yes or no', { text: { body: 'x', preview_url: 'maybe' } }, 100],
    ['callback data of 513 characters', { text: { body: 'x' }, biz_opaque_callback_data: 'x'.repeat(513) }, 100],
    ['a type that does not exist', { type: 'telegram' }, 131051],
    ['a type without its member', { type: 'image' }, 131008],
  ];
  for (const [what, message, code] of refused) {
    it(`refuses ${what} with ${code}`, () => assert.equal(codeOf(message), code));
  }

  it('takes texts of 1 to 4096 code points, and other types without a look', () => {
    assert.equal(codeOf({ text: { body: '👋'.repeat(4096) } }), undefined);
    assert.equal(codeOf({ type: 'reaction', reaction: { message_id: 'wamid.x', emoji: '' } }), undefined);
  });

  it('tells the category that is charged', () => {
    const registry = new Registry();
    const find = (name: string, language: string) => registry.find('1', name, language);
    assert.equal(checkMessage({ text: { body: 'x' } }, find), 'service');
    assert.equal(checkMessage(template('login_code', [body(text('1')), url(0)]), find), 'authentication');
  });

  it('refuses with 100 what is not a message of this product', () => {
    for (const envelope of [{}, { messaging_product: 'sms' }, { messaging_product: 'whatsapp', recipient_type: 'x' }]) {
      assert.throws(() => checkEnvelope(envelope), { code: 100 });
    }
  });
});

function template(name: string, components: unknown, language = 'en_US') {
  return { type: 'template', template: { name, language: { code: language }, components } };
}

function header(media: object) {
  return { type: 'header', parameters: [{ type: 'image', image: media }] };
}

function codeOf(message: object): number | undefined {
  const registry = new Registry();
  const [ordinary] = registry.templatesOf('1').filter(({ name }) => name === 'greeting_named');
  assert.ok(ordinary);
  const pair = { ...ordinary, name: 'pair_named', components: [{ type: 'BODY' as const, text: '{{first}} {{last}}' }] };
  registry.replace('1', [...registry.templatesOf('1'), pair]);
  try {
    checkMessage({ ...message }, (name, language) => registry.find('1', name, language));
    return undefined;
  } catch (error) {
    assert.ok(error instanceof GraphError);
    return error.code;
  }
}
