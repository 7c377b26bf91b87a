import { parameterError, refusal } from '../graph-error.ts';
import { isObject, type JsonObject, plainText } from '../read-json.ts';
import type { TemplateComponent } from '../template.ts';
import { checkButtons } from './buttons.ts';
import { checkBody, checkHeader } from './header-and-body.ts';

/** What a template, or one card of it, expects. */
export interface Expected {
  components: readonly TemplateComponent[];
  isNamed: boolean;
}

const KINDS = ['header', 'body', 'button', 'carousel', 'limited_time_offer'];
/** Kinds that belong to special templates. The sandbox has no such template, so it accepts them without a check. */
const KINDS_NOT_CHECKED = ['order_status', 'tap_target_configuration'];

/** Checks the components of a message against those of its template, and throws the provider's refusal. */
export function checkComponents(sent: unknown[], expected: Expected): void {
  const components = sent.map(readComponent);
  const ofKind = (kind: string) => components.filter((component) => kindOf(component) === kind);
  const defined = (type: string) => expected.components.find((component) => component.type === type);
  checkHeader(only(ofKind('header')), defined('HEADER'), expected.isNamed);
  checkBody(only(ofKind('body')), defined('BODY'), {
    isNamed: expected.isNamed,
    isAlone: expected.components.length === 1,
  });
  checkButtons(ofKind('button'), defined('BUTTONS')?.buttons ?? []);
  checkOffer(only(ofKind('limited_time_offer')), defined('LIMITED_TIME_OFFER'));
  checkCarousel(only(ofKind('carousel')), defined('CAROUSEL'), expected.isNamed);
}

function readComponent(component: unknown, index: number): JsonObject {
  const where = `template['components'][${index}]`;
  if (!isObject(component)) throw parameterError(`Param ${where} must be a JSON object.`);
  const kind = kindOf(component);
  if (!KINDS.includes(kind) && !KINDS_NOT_CHECKED.includes(kind)) {
    throw parameterError(`Param ${where}['type'] must be one of {${KINDS.join(', ').toUpperCase()}}.`);
  }
  return component;
}

/** In lower case, because the provider's own examples write kinds in upper and in lower case. */
function kindOf({ type }: JsonObject): string {
  return typeof type === 'string' ? type.toLowerCase() : '';
}

function only(components: JsonObject[]): JsonObject | undefined {
  if (components.length > 1) throw refusal(131009, 'A component of this type may be given once only.');
  return components[0];
}

function checkOffer(sent: JsonObject | undefined, defined: TemplateComponent | undefined): void {
  if (defined === undefined && sent === undefined) return;
  if (defined === undefined) throw refusal(132012, 'limited_time_offer: the template has no limited-time offer.');
  const parameter: unknown = Array.isArray(sent?.parameters) ? sent.parameters[0] : undefined;
  const offer = isObject(parameter) ? parameter.limited_time_offer : undefined;
  if (!isObject(offer)) throw refusal(131008, 'limited_time_offer: expiration_time_ms is missing.');
  const expiresMs = Number(plainText(offer.expiration_time_ms));
  if (!Number.isSafeInteger(expiresMs) || expiresMs <= 0) {
    throw refusal(131009, 'limited_time_offer: expiration_time_ms must be a time in milliseconds.');
  }
}

function checkCarousel(sent: JsonObject | undefined, defined: TemplateComponent | undefined, isNamed: boolean): void {
  const cards = defined?.cards ?? [];
  const given = sent === undefined ? [] : sent.cards;
  if (!Array.isArray(given)) throw refusal(131008, 'carousel: cards is missing.');
  if (given.length !== cards.length) {
    throw refusal(
      132012,
      `carousel: number of cards (${given.length}) does not match the template's (${cards.length}).`,
    );
  }
  const byIndex = new Map(
    given.map((card: unknown) => [isObject(card) ? Number(plainText(card.card_index)) : Number.NaN, card]),
  );
  for (const [index, { components }] of cards.entries()) {
    const card = byIndex.get(index);
    if (!isObject(card)) throw refusal(131009, `carousel: the card with card_index ${index} is missing.`);
    const { components: parts = [] } = card;
    if (!Array.isArray(parts)) throw parameterError(`Param cards[${index}]['components'] must be an array.`);
    checkComponents(parts, { components, isNamed });
  }
}
