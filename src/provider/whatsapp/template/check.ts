import { firstFaults } from '../../../kernel/first-faults.ts';
import { isRecord } from '../../../kernel/is-record.ts';
import type { CheckAgainstTemplate, TemplateComponent } from '../../port.ts';
import { checkButtons } from './check-buttons.ts';
import { checkNotEmpty, type Given, indexOf, isNewKind, missing, type Place, parametersOf, wordOf } from './place.ts';
import { readTemplateShape, type TemplateShape } from './shape.ts';

/** The provider's limits for a text that fills a variable. It does not say in which unit; code points are counted here. */
const HEADER_CHARACTERS_MAX = 60;
const BODY_CHARACTERS_MAX = 1_024;
const BODY_ONLY_CHARACTERS_MAX = 32_768;
/** They are stored with each message, told in its events, and up to fifty times in one answer. */
const FAULTS_CHARACTERS_MAX = 8_000;
/** What may fill a variable of a text. */
const VARIABLE_KINDS = ['text', 'currency', 'date_time'];
const MEDIA_FORMATS = ['image', 'video', 'document', 'location'];

/**
 * Compares components with their template before the provider does, and says what is wrong and where: the provider's answer
 * would be one code for all of it. Kinds that are not known here are left to the provider.
 * https://developers.facebook.com/docs/whatsapp/cloud-api/guides/send-message-templates
 */
export const checkAgainstTemplate: CheckAgainstTemplate = (template, components, pointer) => {
  const place: Place = { pointer, format: template.parameterFormat, faults: [] };
  checkParts(readTemplateShape(template.components), components, place);
  return firstFaults(place.faults, FAULTS_CHARACTERS_MAX);
};

function checkParts(shape: TemplateShape, components: readonly TemplateComponent[], place: Place): void {
  const given = components.map((component, index) => ({
    kind: wordOf(component.type),
    component,
    pointer: `${place.pointer}/${index}`,
  }));
  const only = (kind: string) => single(given, kind, place);
  checkHeader(shape, only('header'), place);
  const bodyMax = shape.bodyOnly ? BODY_ONLY_CHARACTERS_MAX : BODY_CHARACTERS_MAX;
  checkVariables('body', shape.body, only('body'), bodyMax, place);
  checkButtons(
    shape.buttons,
    given.filter(({ kind }) => kind === 'button'),
    place,
  );
  checkOffer(shape.limitedTimeOffer, only('limited_time_offer'), place);
  checkCards(shape.cards, only('carousel'), place);
}

/** The only component of a kind. A second one is a fault. */
function single(given: readonly Given[], kind: string, { faults }: Place): Given | undefined {
  const [first, ...more] = given.filter((one) => one.kind === kind);
  for (const { pointer } of more) faults.push({ pointer, detail: `A second ${kind} component.`, expected: 'one' });
  return first;
}

function checkHeader({ header }: TemplateShape, given: Given | undefined, place: Place): void {
  const format = header?.format ?? 'text';
  if (format === 'text') checkVariables('header', header?.variables ?? [], given, HEADER_CHARACTERS_MAX, place);
  else if (!MEDIA_FORMATS.includes(format)) return;
  else if (given === undefined) missing(place, 'header', format);
  else checkMedia(format, given, place);
}

function checkMedia(format: string, given: Given, { faults }: Place): void {
  const parameters = parametersOf(given.component);
  const pointer = `${given.pointer}/parameters`;
  if (parameters.length !== 1)
    faults.push({
      pointer,
      detail: `The header takes one ${format}.`,
      expected: '1',
      given: String(parameters.length),
    });
  const kind = wordOf(parameters[0]?.type);
  if (parameters.length === 1 && kind !== format && !isNewKind(kind))
    faults.push({
      pointer: `${pointer}/0/type`,
      detail: 'The header is of another kind.',
      expected: format,
      given: kind,
    });
}

function checkVariables(
  part: string,
  variables: readonly string[],
  given: Given | undefined,
  charactersMax: number,
  place: Place,
): void {
  if (given === undefined) {
    if (variables.length > 0) missing(place, part, countOf(variables.length));
    return;
  }
  const parameters = parametersOf(given.component);
  const pointer = `${given.pointer}/parameters`;
  if (parameters.length !== variables.length)
    place.faults.push({
      pointer,
      detail: `The ${part} of the template has another number of variables.`,
      expected: String(variables.length),
      given: String(parameters.length),
    });
  else if (place.format === 'named') checkNames(variables, parameters, pointer, place);
  for (const [index, parameter] of parameters.entries())
    checkParameter(parameter, `${pointer}/${index}`, charactersMax, place);
}

function checkNames(
  variables: readonly string[],
  parameters: readonly Record<string, unknown>[],
  pointer: string,
  { faults }: Place,
): void {
  const names = parameters.map(({ parameter_name: name }) => (typeof name === 'string' ? name : ''));
  for (const [index, name] of names.entries())
    if (!variables.includes(name) || names.indexOf(name) !== index)
      faults.push({
        pointer: `${pointer}/${index}/parameter_name`,
        detail:
          name === ''
            ? 'The variables of the template have names, and the parameter has none.'
            : 'The template has no such variable, or it is filled already.',
        expected: variables.filter((variable) => !names.includes(variable)).join(', '),
        given: name === '' ? 'none' : name,
      });
}

function checkParameter(
  parameter: Record<string, unknown>,
  pointer: string,
  charactersMax: number,
  { faults }: Place,
): void {
  const kind = wordOf(parameter.type);
  if (!VARIABLE_KINDS.includes(kind) && !isNewKind(kind))
    faults.push({
      pointer: `${pointer}/type`,
      detail: 'A variable cannot be filled so.',
      expected: VARIABLE_KINDS.join(', '),
      given: kind,
    });
  checkNotEmpty(parameter, pointer, faults);
  const { text } = parameter;
  const length = typeof text === 'string' ? [...text].length : 0;
  if (length > charactersMax)
    faults.push({
      pointer: `${pointer}/text`,
      detail: 'The text is too long.',
      expected: `at most ${charactersMax} characters`,
      given: String(length),
    });
}

function checkOffer(offer: TemplateShape['limitedTimeOffer'], given: Given | undefined, place: Place): void {
  if (given === undefined) {
    if (offer === 'required') missing(place, 'limited_time_offer', 'an expiry time');
    return;
  }
  const parameters = parametersOf(given.component);
  if (offer === 'none')
    place.faults.push({ pointer: given.pointer, detail: 'The template has no limited-time offer.', expected: 'none' });
  else if (offer === 'required' && parameters.length !== 1)
    place.faults.push({
      pointer: `${given.pointer}/parameters`,
      detail: 'The offer takes one expiry time.',
      expected: '1',
      given: String(parameters.length),
    });
}

function checkCards(cards: readonly TemplateShape[] | undefined, given: Given | undefined, place: Place): void {
  if (given === undefined) {
    if (cards !== undefined) missing(place, 'carousel', `${cards.length} cards`);
    return;
  }
  const sent = Array.isArray(given.component.cards) ? given.component.cards.filter(isRecord) : [];
  const pointer = `${given.pointer}/cards`;
  if (sent.length !== (cards?.length ?? 0))
    place.faults.push({
      pointer,
      detail: 'The carousel has another number of cards.',
      expected: String(cards?.length ?? 0),
      given: String(sent.length),
    });
  const filled = new Set<number>();
  for (const [index, card] of sent.entries()) {
    const cardIndex = indexOf(card.card_index);
    const shape = cards?.[cardIndex];
    const components = Array.isArray(card.components) ? card.components.filter(isRecord) : [];
    if (cards !== undefined && (shape === undefined || filled.has(cardIndex)))
      place.faults.push({
        pointer: `${pointer}/${index}/card_index`,
        detail: 'The template has no such card, or it is filled already.',
        expected: `0 to ${cards.length - 1}, each once`,
        given: String(cardIndex),
      });
    else if (shape !== undefined)
      checkParts(shape, components, { ...place, pointer: `${pointer}/${index}/components` });
    filled.add(cardIndex);
  }
}

function countOf(variables: number): string {
  return variables === 1 ? '1 parameter' : `${variables} parameters`;
}
