import { firstFaults } from '../../../../kernel/first-faults.ts';
import { isRecord } from '../../../../kernel/is-record.ts';
import type { CheckAgainstTemplate, TemplateComponent } from '../../../port.ts';
import { checkButtons } from './check-buttons.ts';
import { checkVariables } from './check-variables.ts';
import { type Comparison, type Given, indexOf, isNewKind, missing, parametersOf, wordOf } from './given.ts';
import { readTemplateShape, type TemplateShape } from './shape.ts';

/** With the provider's limits for a text that fills a variable. It does not say in which unit; code points are counted here. */
const HEADER = { name: 'header', charactersMax: 60 };
const BODY = { name: 'body', charactersMax: 1_024 };
const ONLY_BODY = { name: 'body', charactersMax: 32_768 };
/** They are stored with each message, told in its events, and up to fifty times in one answer. */
const FAULTS_CHARACTERS_MAX = 8_000;
const MEDIA_FORMATS = ['image', 'video', 'document', 'location'];

/**
 * Compares components with their template before the provider does, and says what is wrong and where: the provider's answer
 * would be one code for all of it. Kinds that are not known here are left to the provider.
 * https://developers.facebook.com/docs/whatsapp/cloud-api/guides/send-message-templates
 */
export const checkAgainstTemplate: CheckAgainstTemplate = (template, components, pointer) => {
  const comparison: Comparison = { pointer, format: template.parameterFormat, faults: [] };
  checkParts(readTemplateShape(template.components), components, comparison);
  return firstFaults(comparison.faults, FAULTS_CHARACTERS_MAX);
};

function checkParts(shape: TemplateShape, components: readonly TemplateComponent[], comparison: Comparison): void {
  const given = components.map((component, index) => ({
    kind: wordOf(component.type),
    component,
    pointer: `${comparison.pointer}/${index}`,
  }));
  const only = (kind: string) => single(given, kind, comparison);
  checkHeader(shape, only('header'), comparison);
  const body = only('body');
  if (shape.body !== undefined) checkVariables(shape.bodyOnly ? ONLY_BODY : BODY, shape.body, body, comparison);
  checkButtons(
    shape.buttons,
    given.filter(({ kind }) => kind === 'button'),
    comparison,
  );
  checkOffer(shape.limitedTimeOffer, only('limited_time_offer'), comparison);
  checkCards(shape.cards, only('carousel'), comparison);
}

/** The only component of a kind. A second one is a fault. */
function single(given: readonly Given[], kind: string, { faults }: Comparison): Given | undefined {
  const [first, ...more] = given.filter((one) => one.kind === kind);
  for (const { pointer } of more) faults.push({ pointer, detail: `A second ${kind} component.`, expected: 'one' });
  return first;
}

function checkHeader({ header }: TemplateShape, given: Given | undefined, comparison: Comparison): void {
  const format = header?.format ?? 'text';
  if (format === 'text') checkVariables(HEADER, header?.variables ?? [], given, comparison);
  else if (!MEDIA_FORMATS.includes(format)) return;
  else if (given === undefined) missing(comparison, 'header', format);
  else checkMedia(format, given, comparison);
}

function checkMedia(format: string, given: Given, comparison: Comparison): void {
  checkOnly(format, given, comparison, {
    count: `The header takes one ${format}.`,
    kind: 'The header is of another kind.',
  });
}

/** Notes where the component has anything but one parameter, of that kind. */
function checkOnly(
  expected: string,
  given: Given,
  { faults }: Comparison,
  details: { count: string; kind: string },
): void {
  const parameters = parametersOf(given.component);
  const pointer = `${given.pointer}/parameters`;
  if (parameters.length !== 1)
    faults.push({ pointer, detail: details.count, expected: '1', given: String(parameters.length) });
  const kind = wordOf(parameters[0]?.type);
  if (parameters.length === 1 && kind !== expected && !isNewKind(kind))
    faults.push({ pointer: `${pointer}/0/type`, detail: details.kind, expected, given: kind });
}

function checkOffer(offer: TemplateShape['limitedTimeOffer'], given: Given | undefined, comparison: Comparison): void {
  if (given === undefined) {
    if (offer === 'required') missing(comparison, 'limited_time_offer', 'an expiry time');
    return;
  }
  if (offer === 'none')
    comparison.faults.push({
      pointer: given.pointer,
      detail: 'The template has no limited-time offer.',
      expected: 'none',
    });
  // An offer that need not expire may be sent without any parameter.
  else if (offer === 'required' || parametersOf(given.component).length > 0)
    checkOnly('limited_time_offer', given, comparison, {
      count: 'The offer takes one expiry time.',
      kind: 'The offer cannot be filled so.',
    });
}

function checkCards(
  cards: readonly TemplateShape[] | undefined,
  given: Given | undefined,
  comparison: Comparison,
): void {
  if (given === undefined) {
    if (cards !== undefined) missing(comparison, 'carousel', `${cards.length} cards`);
    return;
  }
  const sent = Array.isArray(given.component.cards) ? given.component.cards.filter(isRecord) : [];
  const pointer = `${given.pointer}/cards`;
  const shapes = cardsFor(sent.length, cards);
  if (sent.length !== (shapes?.length ?? 0))
    comparison.faults.push({
      pointer,
      detail: 'The carousel has another number of cards.',
      expected: String(shapes?.length ?? 0),
      given: String(sent.length),
    });
  const filled = new Set<number>();
  for (const [index, card] of sent.entries()) {
    const cardIndex = indexOf(card.card_index);
    const shape = shapes?.[cardIndex];
    const components = Array.isArray(card.components) ? card.components.filter(isRecord) : [];
    if (shapes !== undefined && (shape === undefined || filled.has(cardIndex)))
      comparison.faults.push({
        pointer: `${pointer}/${index}/card_index`,
        detail: 'The template has no such card, or it is filled already.',
        expected: `0 to ${shapes.length - 1}, each once`,
        given: String(cardIndex),
      });
    else if (shape !== undefined)
      checkParts(shape, components, { ...comparison, pointer: `${pointer}/${index}/components` });
    filled.add(cardIndex);
  }
}

/**
 * The cards that so many are compared with. A carousel of pictures or films is sent with as many cards as its template has. One of products
 * is created with two cards, which stand for any number; all cards of a template have the same components.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/catalogs/product-card-carousel-template-messages/
 */
function cardsFor(count: number, cards: readonly TemplateShape[] | undefined): readonly TemplateShape[] | undefined {
  const [first] = cards ?? [];
  return first?.header?.format === 'product' && count > 0 ? new Array<TemplateShape>(count).fill(first) : cards;
}
