import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkAgainstTemplate } from './check-against-template.ts';

/** A template as it is created: two cards with the same parts. */
function twoCards(format: string, ...buttons: unknown[]) {
  const components = [
    { type: 'HEADER', format },
    { type: 'BUTTONS', buttons },
  ];
  return [{ type: 'CAROUSEL', cards: [{ components }, { components }] }];
}

const product = { type: 'header', parameters: [{ type: 'product', product: { product_retailer_id: '1' } }] };
const image = { type: 'header', parameters: [{ type: 'image', image: { id: '1' } }] };
const link = { type: 'button', sub_type: 'url', index: 0, parameters: [{ type: 'text', text: 'a' }] };
const card = (card_index: number, ...components: unknown[]) => ({ card_index, components });
const cards = (count: number, ...parts: unknown[]) =>
  Array.from({ length: count }, (_, place) => card(place, ...parts));

/** Places of the faults, below the list of cards. */
function wrong(template: unknown[], sent: unknown[]): string[] {
  const given = [{ type: 'carousel', cards: sent }];
  return checkAgainstTemplate({ parameterFormat: 'positional', components: template }, given, '').map(({ pointer }) =>
    pointer.replace('/0/cards', ''),
  );
}

describe('a carousel of products', () => {
  const view = twoCards('PRODUCT', { type: 'SPM', text: 'View' });
  const shop = twoCards('product', { type: 'url', text: 'Shop', url: 'https://shop.example/{{1}}' });

  it('is created with two cards and sent with up to ten', () => {
    for (const count of [1, 2, 3, 10]) {
      assert.deepEqual(wrong(view, cards(count, product)), [], `${count} cards`);
      assert.deepEqual(wrong(shop, cards(count, product, link)), [], `${count} cards with a link`);
    }
    assert.deepEqual(wrong(view, []), ['']);
  });

  it('has each place once, and no card without what its button needs', () => {
    assert.deepEqual(wrong(view, [card(0, product), card(0, product)]), ['/1/card_index']);
    assert.deepEqual(wrong(view, [card(0, product), card(2, product)]), ['/1/card_index']);
    assert.deepEqual(wrong(shop, [...cards(2, product, link), card(2, product)]), ['/2/components']);
  });

  it('is no other carousel: one of pictures is sent with as many cards as its template has', () => {
    const pictures = twoCards('IMAGE', { type: 'QUICK_REPLY', text: 'More' });
    assert.deepEqual(wrong(pictures, cards(2, image)), []);
    assert.deepEqual(wrong(pictures, cards(3, image)), ['', '/2/card_index']);
  });
});
