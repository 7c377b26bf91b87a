import type { Template } from '../api/resources.ts';
import { type ButtonShape, MEDIA, shapeOf, type TemplateShape, takesText, variablesToFill } from './shape.ts';

export type Values = Readonly<Record<string, string>>;
type Component = Record<string, unknown>;

/** `places`: the field that fills each place in the components. The places are pointers such as `/0/parameters/1`. */
export interface Composed {
  components: Component[];
  places: Map<string, string>;
}

/** Makes the components of a message from what was filled in, in the provider's shapes. */
export function composeComponents(template: Template, values: Values): Composed {
  const places = new Map<string, string>();
  const isNamed = template.parameter_format === 'named';
  return { components: composePart(shapeOf(template), { values, places, isNamed, prefix: '', pointer: '' }), places };
}

interface Work {
  values: Values;
  places: Map<string, string>;
  isNamed: boolean;
  /** How the keys of this part's fields begin, and how its pointers do. */
  prefix: string;
  pointer: string;
}

function composePart(shape: TemplateShape, work: Work): Component[] {
  const components: Component[] = [];
  const add = (component: Component, keys: string[]) => {
    const pointer = `${work.pointer}/${components.length}`;
    for (const [place, key] of keys.entries())
      work.places.set(`${pointer}/parameters/${place}`, `${work.prefix}${key}`);
    components.push(component);
  };
  const read = (key: string) => work.values[`${work.prefix}${key}`] ?? '';
  addHeader(shape, add, read, work.isNamed);
  if (shape.offer?.expires) add({ type: 'limited_time_offer', parameters: [offerParameter(read('offer'))] }, ['offer']);
  addVariables('body', shape.body, add, read, work.isNamed);
  for (const [index, button] of shape.buttons.entries()) addButton(button, index, add, read(`button.${index}`));
  if (shape.cards.length > 0) components.push(composeCards(shape, work, `${work.pointer}/${components.length}`));
  return components;
}

type Add = (component: Component, keys: string[]) => void;
type Read = (key: string) => string;

function addHeader({ header }: TemplateShape, add: Add, read: Read, isNamed: boolean): void {
  if (header === null) return;
  const { format, text } = header;
  if (format === 'text') addVariables('header', text, add, read, isNamed);
  else if (format === 'location')
    add({ type: 'header', parameters: [{ type: 'location', location: readPlace(read('header')) }] }, ['header']);
  else if (MEDIA.includes(format))
    add({ type: 'header', parameters: [{ type: format, [format]: { link: read('header') } }] }, ['header']);
}

function addVariables(part: string, text: string, add: Add, read: Read, isNamed: boolean): void {
  const names = variablesToFill(text, isNamed);
  if (names.length === 0) return;
  const parameters = names.map((name) => ({
    type: 'text',
    ...(isNamed && { parameter_name: name }),
    text: read(`${part}.${name}`),
  }));
  add(
    { type: part, parameters },
    names.map((name) => `${part}.${name}`),
  );
}

function addButton(shape: ButtonShape, index: number, add: Add, value: string): void {
  const { kind } = shape;
  const button = (subType: string, parameter: Component) =>
    add({ type: 'button', sub_type: subType, index: String(index), parameters: [parameter] }, [`button.${index}`]);
  if (takesText(shape)) button('url', { type: 'text', text: value });
  if (kind === 'copy_code') button('copy_code', { type: 'coupon_code', coupon_code: value });
  if (kind === 'quick_reply' && value !== '') button('quick_reply', { type: 'payload', payload: value });
}

function composeCards({ cards }: TemplateShape, work: Work, pointer: string): Component {
  return {
    type: 'carousel',
    cards: cards.map((card, place) => ({
      card_index: place,
      components: composePart(card, {
        ...work,
        prefix: `card.${place}.`,
        pointer: `${pointer}/cards/${place}/components`,
      }),
    })),
  };
}

/** A `datetime-local` field is in the zone of whoever fills it in. If its value is not a time, the check of the send reports that. */
function offerParameter(local: string): Component {
  const ms = Date.parse(local);
  return {
    type: 'limited_time_offer',
    limited_time_offer: { expiration_time_ms: Number.isNaN(ms) ? 0 : ms },
  };
}

function readPlace(typed: string): Component {
  const [latitude = '', longitude = '', name = '', ...address] = typed.split(',').map((part) => part.trim());
  return { latitude, longitude, name, address: address.join(', ') };
}
