import { refusal } from '../graph-error.ts';
import { isText, type JsonObject, lengthOf, plainText } from '../read-json.ts';
import type { TemplateButton } from '../template.ts';
import { type Parameter, readParameters, variablesIn } from './parameters.ts';

const COUPON_LENGTH_MAX = 15;
const INDEX = /^\d$/;

/** Checks the button components of a message against the template's buttons. */
export function checkButtons(sent: JsonObject[], listed: readonly TemplateButton[]): void {
  const buttons = listed.map(asFilled);
  const byIndex = new Map<number, JsonObject>();
  for (const component of sent) {
    const index = indexOf(component);
    const button = buttons[index];
    if (button === undefined) throw refusal(131009, `buttons: the template has no button at index ${index}`);
    if (byIndex.has(index)) throw refusal(131009, `buttons: the button at index ${index} is given twice`);
    checkSubType(component, button, index);
    byIndex.set(index, component);
  }
  for (const [index, button] of buttons.entries()) checkButton(byIndex.get(index), button, index);
}

/** A one-time-password button may be listed as such, or as the link that it is. In both cases it is filled like a link. */
function asFilled(button: TemplateButton): TemplateButton {
  return button.type === 'OTP' ? { type: 'URL', url: '{{1}}' } : button;
}

/** The provider's own examples write the index as a number and as a text. */
function indexOf({ index }: JsonObject): number {
  if (!INDEX.test(plainText(index) ?? '')) throw refusal(131009, 'buttons: the index of a button must be 0 to 9');
  return Number(index);
}

function checkSubType({ sub_type: subType }: JsonObject, { type }: TemplateButton, index: number): void {
  if (!isText(subType)) throw refusal(131008, `buttons: the sub_type of the button at index ${index} is missing`);
  if (subType.toUpperCase() !== type) {
    throw refusal(132012, `buttons: the button at index ${index} is of type ${type}, not ${subType}`);
  }
}

function checkButton(sent: JsonObject | undefined, button: TemplateButton, index: number): void {
  const parameters = readParameters('buttons', sent);
  const needed = parametersOf(button);
  if (parameters.length < needed) {
    throw refusal(131008, `buttons: Button at index ${index} of type ${button.type} requires a parameter`);
  }
  if (parameters.length > Math.max(needed, optionalParametersOf(button))) {
    throw refusal(132000, `buttons: Button at index ${index} of type ${button.type} has too many parameters`);
  }
  for (const parameter of parameters) checkParameter(parameter, button, index);
}

function parametersOf({ type, url }: TemplateButton): number {
  if (type === 'URL') return variablesIn(url ?? '').length;
  return type === 'COPY_CODE' ? 1 : 0;
}

/**
 * How many parameters a button may have beyond those that it needs. A link or a telephone number takes none; every other button may bring
 * one.
 */
function optionalParametersOf({ type }: TemplateButton): number {
  return type === 'URL' || type === 'PHONE_NUMBER' ? 0 : 1;
}

function checkParameter({ type, value }: Parameter, button: TemplateButton, index: number): void {
  const where = `buttons: Button at index ${index}`;
  switch (button.type) {
    case 'URL':
      if (type !== 'text') throw refusal(132012, `${where} takes a parameter of type text`);
      return;
    case 'QUICK_REPLY':
      if (type !== 'payload' && type !== 'text') throw refusal(132012, `${where} takes a parameter of type payload`);
      if (!isText(value)) throw refusal(131008, `${where}: the payload is missing`);
      return;
    case 'COPY_CODE':
      if (type !== 'coupon_code') throw refusal(132012, `${where} takes a parameter of type coupon_code`);
      if (!isText(value)) throw refusal(131008, `${where}: the coupon_code is missing`);
      if (lengthOf(value) > COUPON_LENGTH_MAX) throw refusal(131009, `${where}: the coupon_code is too long`);
      return;
    default:
      return;
  }
}
