import { MEDIA, type TemplateShape, variablesOf } from './shape.ts';

export type FieldKind = 'text' | 'link' | 'place' | 'time' | 'code' | 'payload';

/** Something that a person fills in to send a template. */
export interface TemplateField {
  /** The key under which the value is kept: `body.1`, `card.0.button.1`. */
  key: string;
  label: string;
  kind: FieldKind;
  hint: string;
}

/** Every field of a template, in the order in which it is read. */
export function fieldsOf(shape: TemplateShape): TemplateField[] {
  return partFields(shape, '', '');
}

function partFields(shape: TemplateShape, prefix: string, where: string): TemplateField[] {
  const field: Make = (key, label, kind, hint = '') => {
    return { key: `${prefix}${key}`, label: `${where}${label}`, kind, hint };
  };
  return [
    ...headerFields(shape, field),
    ...(shape.offer?.expires ? [field('offer', 'Offer: ends at', 'time')] : []),
    ...variablesOf(shape.body).map((name) => field(`body.${name}`, `Body: ${name}`, 'text')),
    ...shape.buttons.flatMap((button, place) => {
      const label = `Button “${button.text}”`;
      if (button.kind === 'url' && variablesOf(button.url).length > 0)
        return [field(`button.${place}`, `${label}: end of the link`, 'text', button.url)];
      if (button.kind === 'otp') return [field(`button.${place}`, `${label}: code`, 'text')];
      if (button.kind === 'copy_code')
        return [field(`button.${place}`, `${label}: code`, 'code', 'At most 15 characters.')];
      if (button.kind === 'quick_reply')
        return [field(`button.${place}`, `${label}: what comes back when it is pressed`, 'payload', 'May stay empty.')];
      return [];
    }),
    ...shape.cards.flatMap((card, place) => partFields(card, `card.${place}.`, `Card ${place + 1}, `)),
  ];
}

type Make = (key: string, label: string, kind: FieldKind, hint?: string) => TemplateField;

function headerFields({ header }: TemplateShape, field: Make): TemplateField[] {
  if (header === null) return [];
  if (header.format === 'text')
    return variablesOf(header.text).map((name) => field(`header.${name}`, `Header: ${name}`, 'text'));
  if (header.format === 'location')
    return [field('header', 'Header: place', 'place', 'Latitude, longitude, name, address')];
  if (!MEDIA.includes(header.format)) return [];
  return [field('header', `Header: link of the ${header.format}`, 'link', 'https://… that the provider can read')];
}
