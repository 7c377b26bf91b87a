import { isRecord } from '../../kernel/is-record.ts';
import { readPhoneNumber } from '../../kernel/phone-number.ts';
import { USER_ID } from '../../kernel/user-id.ts';
import { whyNoNumber } from '../../kernel/why-no-number.ts';
import { type ParseContext, readReference, refuseUnknownMembers } from './parse-values.ts';
import type { Recipient } from './send-command.ts';

/** With every line break that Unicode has: numbers that are copied from a document come with those of word processors. */
const SEPARATORS = /[,;\r\n\v\f\u0085\u2028\u2029]/;
const RECIPIENT_MEMBERS = ['to', 'user_id', 'client_reference', 'components'];

interface Context extends ParseContext {
  /** Own components belong to templates only. */
  componentsAllowed: boolean;
}

/** Reads `to` in all of its forms. What is wrong in form is added to the faults; what cannot be read is an entry. */
export function parseRecipients(to: unknown, context: Context): Recipient[] {
  const faultsBefore = context.faults.length;
  const recipients = readForms(to, context);
  if (recipients.length === 0 && context.faults.length === faultsBefore)
    context.faults.push({ pointer: '#/to', detail: 'There must be at least one recipient.' });
  return recipients;
}

function readForms(to: unknown, context: Context): Recipient[] {
  if (typeof to === 'string') {
    const pieces = to.split(SEPARATORS).filter((piece) => piece.trim() !== '');
    return pieces.map((piece) => readNumber(piece.trim()));
  }
  if (Array.isArray(to)) return to.flatMap((item: unknown, place) => readItem(item, `#/to/${place}`, context));
  context.faults.push({ pointer: '#/to', detail: 'This must be a string or an array.' });
  return [];
}

function readItem(item: unknown, pointer: string, context: Context): Recipient[] {
  if (typeof item === 'string') return [readNumber(item)];
  if (isRecord(item)) return readObject(item, pointer, context);
  context.faults.push({ pointer, detail: 'A recipient must be a string or an object.' });
  return [];
}

function readObject(item: Record<string, unknown>, pointer: string, context: Context): Recipient[] {
  const { faults } = context;
  refuseUnknownMembers(item, RECIPIENT_MEMBERS, pointer, faults);
  const clientReference = readReference(item.client_reference, `${pointer}/client_reference`, faults);
  const components = readComponents(item.components, `${pointer}/components`, context);
  const own = {
    ...(clientReference !== undefined && { clientReference }),
    ...(components !== undefined && { components }),
  };
  const { to, user_id: userId } = item;
  if ((to === undefined) === (userId === undefined)) {
    faults.push({ pointer, detail: 'A recipient must have exactly one of "to" and "user_id".' });
    return [];
  }
  const given = to ?? userId;
  if (typeof given !== 'string') {
    faults.push({ pointer: `${pointer}/${to === undefined ? 'user_id' : 'to'}`, detail: 'This must be a string.' });
    return [];
  }
  return [{ ...(to === undefined ? readUserId(given) : readNumber(given)), ...own }];
}

function readNumber(text: string): Recipient {
  const number = readPhoneNumber(text);
  if (number !== undefined) return { kind: 'phone', to: number };
  return {
    kind: 'unreadable',
    to: text,
    detail: `The recipient is not a phone number in E.164 form: ${whyNoNumber(text)}`,
  };
}

function readUserId(text: string): Recipient {
  if (USER_ID.test(text)) return { kind: 'user_id', to: text };
  return { kind: 'unreadable', to: text, detail: 'The recipient is not a user id in the form of the provider' };
}

function readComponents(components: unknown, pointer: string, context: Context) {
  if (components === undefined) return undefined;
  if (!context.componentsAllowed) {
    context.faults.push({ pointer, detail: 'Only a template has components.' });
    return undefined;
  }
  const checked = context.checkComponents(components, pointer);
  if ('components' in checked) return checked.components;
  context.faults.push(...checked.faults);
  return undefined;
}
