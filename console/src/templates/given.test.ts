import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DEMO_TEMPLATES } from '../../../sandbox/demo-templates.ts';
import type { Template } from '../api/resources.ts';
import { composeComponents } from './compose.ts';
import { fieldsOf } from './fields.ts';
import { listGiven, valuesFor } from './given.ts';
import { shapeOf } from './shape.ts';

function listed(name: string, components?: unknown[]): Template {
  const found = DEMO_TEMPLATES.find((one) => one.name === name);
  if (found === undefined) throw new Error(`There is no template ${name}`);
  return {
    ...{ id: `tpl_${name}`, name, language: 'en_US', status: 'approved', category: 'utility', quality: null },
    ...{ parameter_format: found.parameter_format.toLowerCase(), updated_at: '2026-01-31T12:00:00.000Z' },
    components: components ?? [...found.components],
  };
}

const text = (value: string) => ({ type: 'text', text: value });
const body = (...parameters: unknown[]) => ({ type: 'body', parameters });
const button = (sub_type: string, index: unknown, ...parameters: unknown[]) => {
  return { type: 'button', sub_type, index, parameters };
};

describe('what a message gave to its template', () => {
  it('is found again under the fields that it was composed from, for every template of the sandbox', () => {
    for (const { name } of DEMO_TEMPLATES) {
      const template = listed(name);
      const given = Object.fromEntries(
        fieldsOf(shapeOf(template)).map(({ key, kind }) => [key, kind === 'time' ? '2030-05-01T18:00:00.000Z' : key]),
      );
      assert.deepEqual(valuesFor(template, composeComponents(template, given).components), given, name);
    }
    assert.deepEqual(valuesFor(listed('hello_world'), undefined), {});
  });

  it('is found by the numbers of the places, and by names in any order and case', () => {
    const numbered = listed('order_update', [{ type: 'BODY', text: '{{2}} of {{10}} and {{1}}' }]);
    const given = [{ type: 'BODY', parameters: [text('a'), { type: 'TEXT', text: 'b' }, text('c')] }];
    assert.deepEqual(valuesFor(numbered, given), { 'body.1': 'a', 'body.2': 'b', 'body.10': 'c' });
    const named = { ...listed('greeting_named', [{ type: 'BODY', text: '{{first}} {{last}}' }]) };
    const [last, first] = ['last', 'first'].map((name) => ({ ...text(name), parameter_name: name }));
    assert.deepEqual(valuesFor(named, [body(last, first)]), { 'body.first': 'first', 'body.last': 'last' });
  });

  it('does not fit a template that needs more, less or something else', () => {
    const image = { type: 'header', parameters: [{ type: 'image', image: { id: '1' } }] };
    const video = { type: 'header', parameters: [{ type: 'video', video: { id: '1' } }] };
    const link = button('url', 0, text('a'));
    const wrong: [string, unknown[] | undefined][] = [
      ['order_update', undefined],
      ['order_update', [body()]],
      ['order_update', [body(text('a'), text('b'))]],
      ['order_update', [body(text('a')), body(text('b'))]],
      ['order_update', [body({ type: 'image', image: { id: '1' } })]],
      ['order_update', [body(text('a')), link]],
      ['hello_world', [body(text('a'))]],
      ['hello_world', [image]],
      ['greeting_named', [body(text('a'))]],
      ['greeting_named', [body({ ...text('a'), parameter_name: '__proto__' })]],
      ['promo_image', [video, body(text('a')), link]],
      ['promo_image', [image, body(text('a'))]],
      ['promo_image', [image, body(text('a')), button('quick_reply', 0, { type: 'payload', payload: 'a' })]],
      ['promo_image', [image, body(text('a')), link, button('url', 2, text('a'))]],
      ['order_update', [body(text('a')), { type: 'limited_time_offer', parameters: [text('a')] }]],
      ['carousel_two', [{ type: 'carousel', cards: [{ card_index: 0, components: [image] }] }]],
      [
        'carousel_two',
        [{ type: 'carousel', cards: [0, 1, 2].map((card_index) => ({ card_index, components: [image] })) }],
      ],
    ];
    for (const [name, components] of wrong)
      assert.equal(valuesFor(listed(name), components), undefined, `${name} ${JSON.stringify(components)}`);
  });

  it('fits beside what is not known here', () => {
    const flow = [
      { type: 'HEADER', format: 'PRODUCT' },
      { type: 'BUTTONS', buttons: [{ type: 'FLOW', text: 'Start' }] },
    ];
    const given = [
      { type: 'header', parameters: [{ type: 'product', product: { product_retailer_id: '7' } }] },
      button('flow', '0', { type: 'action', action: { flow_token: '1' } }),
      { type: 'order_status', anything: true },
    ];
    const expected = { header: '{"product_retailer_id":"7"}', 'button.0': '{"flow_token":"1"}' };
    assert.deepEqual(valuesFor(listed('hello_world', flow), given), expected);
    assert.deepEqual(valuesFor(listed('hello_world', flow), []), {});
  });

  it('is told with its place and its kind where the template is not known', () => {
    const offer = (ms: number) => [{ type: 'limited_time_offer', limited_time_offer: { expiration_time_ms: ms } }];
    const place = { latitude: 51.5, longitude: '-0.1', name: 'Shop', address: '1 High Street' };
    const given = [
      {
        type: 'HEADER',
        parameters: [{ type: 'document', document: { link: 'https://a.example/1', filename: 'a.pdf' } }],
      },
      body(
        text('Ada'),
        { ...text('Grace'), parameter_name: 'friend' },
        { type: 'currency', currency: { fallback_value: '$25.00', code: 'USD', amount_1000: 25_000 } },
        { type: 'date_time', date_time: { fallback_value: '5 May' } },
        { type: 'sparkle', sparkle: { a: 1 } },
      ),
      { type: 'limited_time_offer', parameters: offer(1_900_000_000_000) },
      { type: 'limited_time_offer', parameters: offer(Number.MAX_SAFE_INTEGER) },
      button('copy_code', '1', { type: 'coupon_code', coupon_code: 'SPRING' }),
      {
        type: 'carousel',
        cards: [
          { card_index: '1', components: [{ type: 'header', parameters: [{ type: 'image', image: { id: '77' } }] }] },
          { card_index: 0, components: [{ type: 'header', parameters: [{ type: 'location', location: place }] }] },
        ],
      },
      { type: 'order_status', anything: true },
      { type: 'body' },
    ];
    assert.deepEqual(
      listGiven(given).map(({ label, text }) => `${label} = ${text}`),
      [
        'Header: document = a.pdf · https://a.example/1',
        'Body: 1 = Ada',
        'Body: friend = Grace',
        'Body: 3 = $25.00',
        'Body: 4 = 5 May',
        'Body: sparkle = {"a":1}',
        'Offer: ends at = 2030-03-17T17:46:40.000Z',
        'Offer: ends at = 9007199254740991',
        'Button 2 (copy code) = SPRING',
        "Card 2, header: image = the provider's id 77",
        'Card 1, header: location = Shop · 1 High Street · 51.5, -0.1',
        'Order status = {"type":"order_status","anything":true}',
      ],
    );
    for (const odd of [undefined, null, 'x', [1, null, {}], [{ type: 'carousel' }]]) listGiven(odd);
  });
});
