import type { Values } from './compose.ts';
import type { ButtonShape, TemplateShape } from './shape.ts';

/** A template as it will look on a phone. */
export interface Preview {
  header: { format: string; text: string } | null;
  body: string;
  footer: string;
  offer: string;
  /** When the offer ends; empty if that is not told. */
  offerEnds: string;
  /** `does` and `detail`: what a press of it does, and with what. */
  buttons: { sign: string; text: string; does: string; detail: string }[];
  cards: Preview[];
  /** What a template has, its cards included, that cannot be shown here. */
  others: string[];
}

const SIGNS: Record<string, string> = { url: '↗', quick_reply: '←', copy_code: '▣', otp: '▣', phone_number: '☎' };
const DOES: Record<string, string> = { url: 'Opens', quick_reply: 'Sends back', copy_code: 'Copies', otp: 'Copies' };

/** Fills in a template. A variable without a value stays as it is. */
export function previewOf(shape: TemplateShape, values: Values, prefix = ''): Preview {
  const fill = (text: string, part: string) =>
    text.replace(/\{\{\s*([^{}\s]+)\s*\}\}/g, (variable, name) => values[`${prefix}${part}.${name}`] || variable);
  const { header, body, footer, offer, buttons, cards, others } = shape;
  const drawn = cards.map((card, place) => previewOf(card, values, `card.${place}.`));
  return {
    header:
      header === null
        ? null
        : {
            format: header.format,
            text: header.format === 'text' ? fill(header.text, 'header') : (values[`${prefix}header`] ?? ''),
          },
    body: fill(body, 'body'),
    footer,
    offer: offer === null ? '' : offer.text,
    offerEnds: offer === null ? '' : timeOf(values[`${prefix}offer`] ?? ''),
    buttons: buttons.map((button, place) => previewButton(button, values[`${prefix}button.${place}`] ?? '')),
    cards: drawn,
    others: [...new Set([...others, ...drawn.flatMap((card) => card.others)])],
  };
}

/** What is typed may be no time. */
function timeOf(typed: string): string {
  const ms = Date.parse(typed);
  return Number.isNaN(ms) ? '' : new Date(ms).toISOString();
}

function previewButton({ kind, text, url }: ButtonShape, value: string): Preview['buttons'][number] {
  const detail = kind === 'url' ? url.replace(/\{\{[^{}]+\}\}/, (variable) => value || variable) : value;
  return { sign: SIGNS[kind] ?? '•', text, does: DOES[kind] ?? 'Has', detail };
}

/** A sentence about what cannot be shown; empty if there is nothing. */
export function moreOf({ others }: Preview): string {
  if (others.length === 0) return '';
  return `It has more, which cannot be shown here: ${others.map((kind) => kind.replaceAll('_', ' ')).join(', ')}.`;
}
