import type { Fault } from '../../../../kernel/errors.ts';
import { isRecord } from '../../../../kernel/is-record.ts';
import type { CheckComponents } from '../../../port.ts';
import { checkParameter } from './check-parameter.ts';
import { Spot } from './spot.ts';

/** A template has four parts and ten buttons at most. No list longer than this is meant to be one. */
const COMPONENTS_MAX = 100;
const PARAMETERS_MAX = 100;
const CARDS_MAX = 10;
/** A message has ten buttons at most. */
const INDEX_MAX = 9;
const KIND_CHARACTERS_MAX = 512;

/**
 * Checks components before any template is known: known kinds must have the provider's shape, unknown kinds and members
 * pass.
 * https://developers.facebook.com/docs/whatsapp/cloud-api/guides/send-message-templates
 */
export const checkComponents: CheckComponents = (components, pointer) => {
  const faults: Fault[] = [];
  checkList(new Spot(components, pointer, faults), CHECKS);
  // Anything but a list of objects has a fault by now. Asking again only tells the compiler.
  const isList = Array.isArray(components) && components.every(isRecord);
  return faults.length === 0 && isList ? { components } : { faults };
};

type Checks = ReadonlyMap<string, (component: Spot) => void>;

function checkList(list: Spot, checks: Checks): void {
  for (const component of list.items({ min: 0, max: COMPONENTS_MAX })) {
    // Case does not matter: the provider writes its words in both, as BODY when it lists a template.
    const kind = component.object()?.at('type').text({ min: 1, max: KIND_CHARACTERS_MAX })?.toLowerCase();
    if (kind !== undefined) checks.get(kind)?.(component);
  }
}

/** What may stand on a card of a carousel. */
const CARD_CHECKS: Checks = new Map([
  ['header', checkParameters],
  ['body', checkParameters],
  ['button', checkButton],
  ['carousel', (component: Spot): void => void component.fault('A card cannot hold another carousel.')],
]);

const CHECKS: Checks = new Map([...CARD_CHECKS, ['limited_time_offer', checkParameters], ['carousel', checkCarousel]]);

/** A component without variables needs no parameters, and some buttons take none. */
function checkParameters(component: Spot): void {
  const parameters = component.at('parameters');
  if (parameters.missing) return;
  for (const parameter of parameters.items({ min: 0, max: PARAMETERS_MAX })) checkParameter(parameter);
}

function checkButton(button: Spot): void {
  const subType = button.at('sub_type').text({ min: 1, max: KIND_CHARACTERS_MAX });
  const index = button.at('index');
  if (!(index.missing && isPlacedByKind(subType ?? ''))) index.place(INDEX_MAX);
  checkParameters(button);
}

/**
 * Whether a button of this kind needs no index: a template has one of them at most, and the provider's own example gives none.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/calling/call-button-messages-deep-links/
 */
function isPlacedByKind(subType: string): boolean {
  return subType.toLowerCase() === 'voice_call';
}

function checkCarousel(carousel: Spot): void {
  for (const card of carousel.at('cards').items({ min: 1, max: CARDS_MAX })) {
    if (card.object() === undefined) continue;
    card.at('card_index').place(CARDS_MAX - 1);
    checkList(card.at('components'), CARD_CHECKS);
  }
}
