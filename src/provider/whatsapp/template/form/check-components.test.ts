import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { checkComponents } from './check-components.ts';

const HEADER = { type: 'header', parameters: [{ type: 'image', image: { link: 'https://example.com/a.png' } }] };
const QUICK_REPLY = {
  type: 'button',
  sub_type: 'quick_reply',
  index: '1',
  parameters: [{ type: 'payload', payload: 'ORDER_OK' }],
};

describe('checkComponents', () => {
  it('passes every known kind in the shapes the provider publishes, untouched', () => {
    const components = [
      HEADER,
      { type: 'header', parameters: [{ type: 'video', video: { id: '1602186516975000' } }] },
      { type: 'header', parameters: [{ type: 'document', document: { id: '16', filename: 'bill.pdf' } }] },
      {
        type: 'header',
        parameters: [{ type: 'location', location: { latitude: '51.5', longitude: -0.12, name: 'London' } }],
      },
      { type: 'header', parameters: [{ type: 'product', product: { product_retailer_id: 'x', catalog_id: '7' } }] },
      {
        type: 'body',
        parameters: [
          { type: 'text', text: 'Pablo' },
          { type: 'text', parameter_name: 'first_name', text: 'Pablo' },
          { type: 'currency', currency: { fallback_value: '$25.00', code: 'USD', amount_1000: 25_000 } },
          { type: 'date_time', date_time: { fallback_value: '5 May 2026', calendar: 'GREGORIAN' } },
        ],
      },
      { type: 'BODY' },
      QUICK_REPLY,
      { type: 'button', sub_type: 'url', index: 0, parameters: [{ type: 'text', text: 'n3mtql' }] },
      {
        type: 'button',
        sub_type: 'copy_code',
        index: 0,
        parameters: [{ type: 'coupon_code', coupon_code: '15-characters-x' }],
      },
      { type: 'button', sub_type: 'CATALOG', index: 0, parameters: [{ type: 'action', action: {} }] },
      {
        type: 'limited_time_offer',
        parameters: [{ type: 'limited_time_offer', limited_time_offer: { expiration_time_ms: 1_698_562_800_000 } }],
      },
      { type: 'carousel', cards: [{ card_index: 0, components: [HEADER, QUICK_REPLY] }] },
    ];
    const checked = checkComponents(components, '#/template/components');
    assert.deepEqual(checked, { components });
    assert.ok('components' in checked && checked.components[0] === components[0]);
  });

  it('passes unknown kinds and unknown members untouched', () => {
    const components = [
      { type: 'order_status', anything: [1] },
      { type: 'body', parameters: [{ type: 'hologram', text: 7 }], new_member: { a: null } },
      { type: 'constructor' },
      { type: 'body', parameters: [{ type: '__proto__' }, { type: 'toString' }] },
    ];
    assert.deepEqual(checkComponents(components, '#/c'), { components });
  });

  it('names the place of every fault at once', () => {
    const components = [
      { type: 'body', parameters: [{ type: 'text', text: 'fine' }, { type: 'text', text: 7 }, 'x', { text: 'x' }] },
      7,
      { type: 'button', parameters: {} },
      { type: 'carousel', cards: [{ card_index: 10, components: [{ type: 'carousel' }] }] },
      { type: 'CAROUSEL', cards: [{ card_index: 0, components: ['header', 'body'].map(wrongly) }] },
      wrongly('limited_time_offer'),
    ];
    assert.deepEqual(pointers(components), [
      '#/template/components/0/parameters/1/text',
      '#/template/components/0/parameters/2',
      '#/template/components/0/parameters/3/type',
      '#/template/components/1',
      '#/template/components/2/sub_type',
      '#/template/components/2/index',
      '#/template/components/2/parameters',
      '#/template/components/3/cards/0/card_index',
      '#/template/components/3/cards/0/components/0',
      '#/template/components/4/cards/0/components/0/parameters/0/text',
      '#/template/components/4/cards/0/components/1/parameters/0/text',
      '#/template/components/5/parameters/0/text',
    ]);
  });

  const wrong: [string, unknown, string][] = [
    ['a text that is missing', { type: 'text' }, 'text'],
    ['a text over 32768 characters', { type: 'text', text: 'a'.repeat(32_769) }, 'text'],
    ['a text in another case of its kind', { type: 'TEXT', text: null }, 'text'],
    ['a parameter name that is no text', { type: 'text', text: 'x', parameter_name: 1 }, 'parameter_name'],
    ['a coupon code over 15 characters', { type: 'coupon_code', coupon_code: 'sixteen-chars-xy' }, 'coupon_code'],
    ['an empty coupon code', { type: 'coupon_code', coupon_code: '' }, 'coupon_code'],
    ['a payload over 4096 characters', { type: 'payload', payload: 'a'.repeat(4_097) }, 'payload'],
    ['a payload that is no text', { type: 'payload', payload: {} }, 'payload'],
    ['media without id and link', { type: 'image', image: {} }, 'image'],
    ['media with id and link', { type: 'video', video: { id: '1', link: 'https://example.com' } }, 'video'],
    ['a link of another scheme', { type: 'image', image: { link: 'ftp://example.com' } }, 'image/link'],
    ['a link over 2048 characters', { type: 'image', image: { link: linkOf(2_049) } }, 'image/link'],
    ['a file name over 512 characters', { type: 'document', document: file('a'.repeat(513)) }, 'document/filename'],
    ['a link that cannot be read', { type: 'document', document: { link: 'https://' } }, 'document/link'],
    ['media that are no object', { type: 'image', image: 'https://example.com' }, 'image'],
    ['a currency code', { type: 'currency', currency: cash({ code: 'US' }) }, 'currency/code'],
    ['a long currency code', { type: 'currency', currency: cash({ code: 'USDT' }) }, 'currency/code'],
    ['a fractional amount', { type: 'currency', currency: cash({ amount_1000: 1.5 }) }, 'currency/amount_1000'],
    [
      'a missing fallback',
      { type: 'currency', currency: cash({ fallback_value: undefined }) },
      'currency/fallback_value',
    ],
    ['a date without fallback', { type: 'date_time', date_time: {} }, 'date_time/fallback_value'],
    ['a latitude beyond the pole', { type: 'location', location: { latitude: 91, longitude: 0 } }, 'location/latitude'],
    [
      'a latitude below the pole',
      { type: 'location', location: { latitude: '-91', longitude: 0 } },
      'location/latitude',
    ],
    ['a longitude beyond 180', { type: 'location', location: { latitude: 1, longitude: 180.5 } }, 'location/longitude'],
    ['a longitude in words', { type: 'location', location: { latitude: 1, longitude: 'east' } }, 'location/longitude'],
    ['an action that is no object', { type: 'action', action: 'go' }, 'action'],
    ['a flow token that is no text', { type: 'action', action: { flow_token: 7 } }, 'action/flow_token'],
    ['a product without its object', { type: 'product' }, 'product'],
    ['a product id that is no text', { type: 'product', product: { catalog_id: 7 } }, 'product/catalog_id'],
    [
      'an expiration that is no time',
      { type: 'limited_time_offer', limited_time_offer: { expiration_time_ms: 0 } },
      'limited_time_offer/expiration_time_ms',
    ],
  ];
  for (const [what, parameter, place] of wrong) {
    it(`refuses ${what}`, () => {
      assert.deepEqual(pointers([{ type: 'body', parameters: [parameter] }]), [
        `#/template/components/0/parameters/0/${place}`,
      ]);
    });
  }

  it('takes what is as long and as far as it may be', () => {
    const far = { latitude: -90, longitude: '-180' };
    const parameters = [
      { type: 'payload', payload: 'a'.repeat(4_096) },
      { type: 'image', image: { link: linkOf(2_048) } },
      { type: 'image', image: { link: 'HTTP://example.com/a.png' } },
      { type: 'document', document: file('a'.repeat(512)) },
      { type: 'location', location: far },
    ];
    assert.deepEqual(pointers([{ type: 'body', parameters }]), []);
  });

  it('counts code points, not UTF-16 units', () => {
    assert.deepEqual(pointers([{ type: 'body', parameters: [{ type: 'text', text: '👋'.repeat(32_768) }] }]), []);
  });

  it('takes a button index from 0 to 9, as a number or a text', () => {
    const isTaken = (index: unknown) => pointers([{ ...QUICK_REPLY, index }]).length === 0;
    for (const index of [0, 9, '0', '9']) assert.ok(isTaken(index), String(index));
    for (const index of [-1, 10, 1.5, '10', '00', '01', '', 'a', '1e0', null, undefined, true, [1]]) {
      assert.ok(!isTaken(index), String(index));
    }
  });

  it('takes a button for a call without an index, as the provider publishes it', () => {
    const parameters = [
      { type: 'ttl_minutes', ttl_minutes: 100 },
      { type: 'payload', payload: 'payload data' },
    ];
    for (const sub_type of ['voice_call', 'VOICE_CALL']) {
      assert.deepEqual(pointers([{ type: 'button', sub_type, parameters }]), []);
      assert.deepEqual(pointers([{ type: 'button', sub_type, index: 10 }]), ['#/template/components/0/index']);
    }
  });

  it('takes 1 to 10 cards', () => {
    const card = { card_index: 0, components: [] };
    const faultsOf = (count: number) => pointers([{ type: 'carousel', cards: Array(count).fill(card) }]);
    assert.deepEqual(
      [0, 1, 10, 11].map((count) => faultsOf(count).length),
      [1, 0, 0, 1],
    );
  });

  it('refuses what is no list and lists that are too long by one fault', () => {
    for (const components of [null, undefined, {}, 'x', Array(101).fill(HEADER)]) {
      assert.deepEqual(pointers(components), ['#/template/components']);
    }
    const parameters = Array(101).fill({ type: 'text', text: 'x' });
    assert.deepEqual(pointers([{ type: 'body', parameters }]), ['#/template/components/0/parameters']);
  });

  it('stops at 100 faults, however many there are', () => {
    const components = Array(100).fill({ type: 'body', parameters: Array(100).fill(null) });
    assert.equal(pointers(components).length, 100);
  });

  it('never throws: any JSON is either passed on as it is or has faults with a place', () => {
    const kind = fc.constantFrom('header', 'body', 'button', 'carousel', 'limited_time_offer', 'other');
    const parameterKind = fc.constantFrom('text', 'currency', 'image', 'location', 'action', 'limited_time_offer');
    const parameter = parameterKind.chain((type) =>
      fc.record({ type: fc.constant(type), [type]: fc.jsonValue(), parameter_name: fc.jsonValue() }),
    );
    const list = fc.oneof(fc.array(fc.oneof(parameter, fc.jsonValue())), fc.jsonValue());
    const component = fc.record(
      { type: kind, parameters: list, cards: list, index: fc.jsonValue(), sub_type: fc.jsonValue() },
      { requiredKeys: ['type'] },
    );
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.array(fc.oneof(component, fc.jsonValue()))), (components) => {
        const before = JSON.stringify(components);
        const checked = checkComponents(components, '#/c');
        if ('components' in checked) assert.equal(JSON.stringify(checked.components), before);
        else assert.ok(checked.faults.every((fault) => 'pointer' in fault && fault.pointer.startsWith('#/c')));
        if ('faults' in checked) assert.ok(checked.faults.length > 0);
      }),
    );
  });
});

/** A component with a parameter that lacks its text. */
function wrongly(type: string) {
  return { type, parameters: [{ type: 'text' }] };
}

function linkOf(length: number): string {
  return 'https://example.com/'.padEnd(length, 'a');
}

function file(filename: string) {
  return { id: '1', filename };
}

function cash(change: Record<string, unknown>): Record<string, unknown> {
  return { fallback_value: '$25.00', code: 'USD', amount_1000: 25_000, ...change };
}

function pointers(components: unknown): string[] {
  const checked = checkComponents(components, '#/template/components');
  return 'faults' in checked ? checked.faults.map((fault) => ('pointer' in fault ? fault.pointer : '')) : [];
}
