import { isRecord } from '../../../../kernel/is-record.ts';
import { wordAt } from '../../decode/values.ts';

/** What a template expects of a message, read from the provider's listing. */
export interface TemplateShape {
  /** The header's media kind, or the variables in its text; undefined without a header that takes anything. */
  header: { format: string; variables: string[] } | undefined;
  /** The variables in its text; undefined if it has a body whose text is not listed, as the provider may write that of a code by itself. */
  body: string[] | undefined;
  buttons: ButtonShape[];
  /** Whether an expiry must be told, may be, or must not. */
  limitedTimeOffer: 'required' | 'allowed' | 'none';
  cards: TemplateShape[] | undefined;
  /** Whether the body stands alone, which allows it longer texts. */
  bodyOnly: boolean;
}

export interface ButtonShape {
  /** The `sub_type` of the component that fills it. */
  subType: string;
  needsParameter: boolean;
}

const VARIABLE = /\{\{\s*([A-Za-z0-9_]+)\s*\}\}/g;

/**
 * Reads the shape of a template. Kinds that are not known here expect nothing, so that the provider decides.
 * https://developers.facebook.com/docs/whatsapp/business-management-api/message-templates/components
 */
export function readTemplateShape(components: readonly unknown[]): TemplateShape {
  const parts = components.filter(isRecord);
  const part = (type: string) => parts.find((component) => wordAt(component, 'type') === type);
  const cards = part('carousel')?.cards;
  return {
    header: readHeader(part('header')),
    body: readBody(part('body')),
    buttons: readButtons(part('buttons')?.buttons),
    limitedTimeOffer: readOffer(part('limited_time_offer')),
    cards: Array.isArray(cards) ? cards.map(readCard) : undefined,
    bodyOnly: parts.every((component) => wordAt(component, 'type') === 'body'),
  };
}

function readCard(card: unknown): TemplateShape {
  return readTemplateShape(isRecord(card) && Array.isArray(card.components) ? card.components : []);
}

function readHeader(header: Record<string, unknown> | undefined): TemplateShape['header'] {
  if (header === undefined) return undefined;
  const format = wordAt(header, 'format') ?? 'text';
  return { format, variables: format === 'text' ? variablesOf(header.text) : [] };
}

function readBody(body: Record<string, unknown> | undefined): TemplateShape['body'] {
  if (body === undefined) return [];
  return typeof body.text === 'string' ? variablesOf(body.text) : undefined;
}

function readOffer(component: Record<string, unknown> | undefined): TemplateShape['limitedTimeOffer'] {
  if (component === undefined) return 'none';
  const { limited_time_offer: offer } = component;
  return isRecord(offer) && offer.has_expiration === true ? 'required' : 'allowed';
}

function readButtons(buttons: unknown): ButtonShape[] {
  return Array.isArray(buttons) ? buttons.map((button) => readButton(isRecord(button) ? button : {})) : [];
}

/** A one-time-password button is listed as such and filled like a link. */
function readButton(button: Record<string, unknown>): ButtonShape {
  const type = wordAt(button, 'type') ?? 'unknown';
  if (type === 'otp') return { subType: 'url', needsParameter: true };
  if (type === 'url') return { subType: type, needsParameter: variablesOf(button.url).length > 0 };
  return { subType: type, needsParameter: type === 'copy_code' };
}

/** The names of the variables in a text, each once, in their order. */
function variablesOf(text: unknown): string[] {
  if (typeof text !== 'string') return [];
  return [...new Set([...text.matchAll(VARIABLE)].flatMap(([, name]) => name ?? []))];
}
