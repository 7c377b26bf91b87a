import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DEMO_TEMPLATES } from '../../../sandbox/demo-templates.ts';
import type { Template } from '../api/resources.ts';
import { placeFaults } from '../send/fault-places.ts';
import { composeComponents } from './compose.ts';
import { fieldsOf } from './fields.ts';
import { previewOf } from './preview.ts';
import { shapeOf } from './shape.ts';

const VALUES: Record<string, string> = {
  text: 'Ada',
  link: 'https://images.example/1.jpg',
  code: 'SPRING',
  payload: '',
};

/** A template of the sandbox in the form in which the API lists it. */
function listed(name: string): Template {
  const found = DEMO_TEMPLATES.find((one) => one.name === name);
  if (found === undefined) throw new Error(`There is no template ${name}`);
  return {
    ...{ id: `tpl_${name}`, name, language: 'en_US', status: 'approved', category: 'utility', quality: null },
    ...{ parameter_format: found.parameter_format.toLowerCase(), updated_at: '2026-01-31T12:00:00.000Z' },
    components: [...found.components],
  };
}

function filled(name: string): Record<string, string> {
  const fields = fieldsOf(shapeOf(listed(name)));
  return Object.fromEntries(
    fields.map(({ key, kind }) => [key, kind === 'time' ? '2030-05-01T18:00' : (VALUES[kind] ?? '')]),
  );
}

describe('a template that is filled in', () => {
  it('has a field for everything that must be given', () => {
    const keys = (name: string) => fieldsOf(shapeOf(listed(name))).map(({ key }) => key);
    assert.deepEqual(keys('hello_world'), []);
    assert.deepEqual(keys('greeting_named'), ['body.first_name']);
    assert.deepEqual(keys('promo_image'), ['header', 'body.1', 'button.0', 'button.1']);
    assert.deepEqual(keys('offer_limited'), ['offer', 'body.1', 'button.0', 'button.1']);
    assert.deepEqual(keys('carousel_two'), ['card.0.header', 'card.0.button.0', 'card.1.header', 'card.1.button.0']);
  });

  it('becomes components in the shapes of the provider', () => {
    const { components } = composeComponents(listed('promo_image'), filled('promo_image'));
    assert.deepEqual(components, [
      { type: 'header', parameters: [{ type: 'image', image: { link: 'https://images.example/1.jpg' } }] },
      { type: 'body', parameters: [{ type: 'text', text: 'Ada' }] },
      { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: 'Ada' }] },
    ]);
    const named = composeComponents(listed('greeting_named'), { 'body.first_name': 'Ada' }).components;
    assert.deepEqual(named, [
      { type: 'body', parameters: [{ type: 'text', parameter_name: 'first_name', text: 'Ada' }] },
    ]);
  });

  it('gives values by the numbers of their places, in whatever order the text has them', () => {
    const [body, header] = ['Dear {{2}}, order {{10}} of {{1}}: {{2}}', 'For {{2}} by {{1}}'];
    const components = [
      { type: 'HEADER', format: 'TEXT', text: header },
      { type: 'BODY', text: body },
    ];
    const values = { 'header.1': 'a', 'header.2': 'b', 'body.1': 'c', 'body.2': 'd', 'body.10': 'e' };
    const composed = composeComponents({ ...listed('order_update'), components }, values);
    const textsOf = (place: number) =>
      Object(composed.components[place]).parameters.map(({ text }: { text: string }) => text);
    assert.deepEqual(
      [textsOf(0), textsOf(1)],
      [
        ['a', 'b'],
        ['c', 'd', 'e'],
      ],
    );
    assert.equal(composed.places.get('/1/parameters/0'), 'body.1');
  });

  it('points back from a fault to the field that it is in, in cards too', () => {
    const { places } = composeComponents(listed('carousel_two'), filled('carousel_two'));
    const faults = [
      { place: '#/template/components/0/cards/1/components/0/parameters/0/image/link', detail: 'This is no link.' },
      { place: '#/template/components/0/cards', detail: 'Something else.' },
    ];
    const failure = { code: 'invalid_request', detail: '', faults };
    const rest = { status: 422, title: '', action: '', docUrl: null, requestId: null, retryAfterSeconds: null };
    const found = placeFaults({ failure: { ...failure, ...rest } }, places);
    assert.deepEqual(found.fields, { 'card.1.header': ['This is no link.'] });
    assert.deepEqual(found.template, ['Something else.']);
  });

  it('is shown with its values, and with the names of those that are missing', () => {
    const shape = shapeOf(listed('order_update'));
    assert.equal(previewOf(shape, { 'body.1': 'Grace' }).body, 'Hello Grace, your order is on its way.');
    assert.equal(previewOf(shape, {}).body, 'Hello {{1}}, your order is on its way.');
  });
});
