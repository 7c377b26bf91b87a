import { isRecord } from '../../../kernel/is-record.ts';
import type { MessageFault } from '../../../kernel/message-errors.ts';
import type { CheckAgainstTemplate, TemplateComponent } from '../../port.ts';
import { isKnownKind } from './parameter.ts';
import { type ButtonShape, readTemplateShape, type TemplateShape } from './shape.ts';

/** The provider's limits for a text that fills a variable; their unit is not told. */
const HEADER_CHARACTERS_MAX = 60;
const BODY_CHARACTERS_MAX = 1_024;
const BODY_ONLY_CHARACTERS_MAX = 32_768;
/** What may fill a variable of a text. */
const VARIABLE_KINDS = ['text', 'currency', 'date_time'];
/** What has a text of its own; that of a code is looked at before any template is. */
const TEXT_KINDS = ['text', 'payload'];
const MEDIA_FORMATS = ['image', 'video', 'document', 'location'];
/** A button that is none of these is of a kind that the provider has added since. */
const KNOWN_SUB_TYPES = ['url', 'quick_reply', 'copy_code', 'flow', 'voice_call', 'phone_number', 'catalog', 'mpm'];
/** What fills a button of these kinds; the others take what the provider takes. */
const BUTTON_KINDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['url', ['text']],
  ['quick_reply', ['payload', 'text']],
  ['copy_code', ['coupon_code']],
]);

type Format = 'positional' | 'named';

interface Given {
  kind: string;
  component: TemplateComponent;
  pointer: string;
}

/** Where a component stands in the template: the faults of one place are collected in one list. */
interface Place {
  pointer: string;
  format: Format;
  faults: MessageFault[];
}

/**
 * Compares components with their template before the provider does, and says where and what: the provider's own answer
 * is one code for all of it. What neither knows is left to the provider.
 * https://developers.facebook.com/docs/whatsapp/cloud-api/guides/send-message-templates
 */
export const checkAgainstTemplate: CheckAgainstTemplate = (template, components, pointer) => {
  const place: Place = { pointer, format: template.parameterFormat, faults: [] };
  checkParts(readTemplateShape(template.components), components, place);
  return place.faults;
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

/** Of the parts that a message has once, a second one is a fault. */
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

/** To the provider an empty text or payload is a missing one: its code is 131008, and its answer does not say which it was. */
function checkNotEmpty(parameter: Record<string, unknown>, pointer: string, faults: MessageFault[]): void {
  const kind = wordOf(parameter.type);
  if (!TEXT_KINDS.includes(kind) || parameter[kind] !== '') return;
  faults.push({
    pointer: `${pointer}/${kind}`,
    detail: `The ${kind} is empty.`,
    expected: 'at least 1 character',
    given: '0',
  });
}

function checkButtons(shapes: readonly ButtonShape[], given: readonly Given[], place: Place): void {
  const filled = new Set<number>();
  for (const { component, pointer } of given) {
    const index = indexOf(component.index);
    const shape = shapes[index];
    const subType = wordOf(component.sub_type);
    if (shape === undefined)
      place.faults.push({
        pointer: `${pointer}/index`,
        detail: 'The template has no button here.',
        expected: shapes.length === 0 ? 'no buttons' : `0 to ${shapes.length - 1}`,
        given: String(index),
      });
    else if (filled.has(index))
      place.faults.push({ pointer: `${pointer}/index`, detail: 'This button is filled already.' });
    else if (shape.subType !== subType && !isNewButton(subType))
      place.faults.push({
        pointer: `${pointer}/sub_type`,
        detail: 'The button is of another kind.',
        expected: shape.subType,
        given: subType,
      });
    else if (shape.subType === subType) checkButton(shape, component, pointer, place);
    filled.add(index);
  }
  for (const [index, { subType, needsParameter }] of shapes.entries())
    if (needsParameter && !filled.has(index)) missing(place, 'button', `${subType} at index ${index}`);
}

function checkButton(
  { subType, needsParameter }: ButtonShape,
  component: TemplateComponent,
  pointer: string,
  { faults }: Place,
): void {
  const parameters = parametersOf(component);
  if (needsParameter && parameters.length !== 1)
    faults.push({
      pointer: `${pointer}/parameters`,
      detail: 'The button takes one parameter.',
      expected: '1',
      given: String(parameters.length),
    });
  else if (subType === 'url' && !needsParameter && parameters.length > 0)
    faults.push({
      pointer: `${pointer}/parameters`,
      detail: 'The link of the button has no variable.',
      expected: '0',
      given: String(parameters.length),
    });
  else if (subType === 'quick_reply' && parameters.length > 1)
    faults.push({
      pointer: `${pointer}/parameters`,
      detail: 'The button takes one parameter at most.',
      expected: 'at most 1',
      given: String(parameters.length),
    });
  const kinds = BUTTON_KINDS.get(subType);
  if (kinds === undefined) return;
  for (const [index, parameter] of parameters.entries()) {
    const kind = wordOf(parameter.type);
    if (kinds.includes(kind)) checkNotEmpty(parameter, `${pointer}/parameters/${index}`, faults);
    else if (!isNewKind(kind))
      faults.push({
        pointer: `${pointer}/parameters/${index}/type`,
        detail: 'The button cannot be filled so.',
        expected: kinds.join(', '),
        given: kind,
      });
  }
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

function missing({ pointer, faults }: Place, part: string, expected: string): void {
  faults.push({ pointer, detail: `The ${part} component is missing.`, expected, given: 'none' });
}

function countOf(variables: number): string {
  return variables === 1 ? '1 parameter' : `${variables} parameters`;
}

function parametersOf({ parameters }: TemplateComponent): Record<string, unknown>[] {
  return Array.isArray(parameters) ? parameters.filter(isRecord) : [];
}

/** The provider's own examples write it as a number and as a text. NaN: it is none. */
function indexOf(value: unknown): number {
  if (typeof value === 'string' && /^[0-9]{1,3}$/.test(value)) return Number(value);
  return typeof value === 'number' ? value : Number.NaN;
}

/** New kinds go through, and the provider judges them. No word at all is a fault. */
function isNewKind(kind: string): boolean {
  return kind !== '' && !isKnownKind(kind);
}

function isNewButton(subType: string): boolean {
  return subType !== '' && !KNOWN_SUB_TYPES.includes(subType);
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? value.toLowerCase() : '';
}
