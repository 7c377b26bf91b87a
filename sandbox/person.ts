import { digitsOf } from './made-up.ts';

/**
 * A user id that is valid for one business only.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/business-scoped-user-ids
 */
const USER_ID = /^[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}$/;
const PHONE = /^\+?([1-9][0-9]{6,14})$/;
/** What people put between the digits of a number; the provider drops it. */
const FILLING = /[\s().-]/g;

/** Somebody who gets messages. The number, or only the user id, is known. */
export interface Person {
  /** In E.164, with the plus. */
  phone?: string;
  /** The number as the provider writes it, in digits only; a group's id for a group. */
  waId?: string;
  userId: string;
  name: string;
}

/** The person with that number; `undefined` if the text is no number. The user id is made up, and always the same for the same number. */
export function personOfPhone(text: string): Person | undefined {
  const digits = PHONE.exec(text.replace(FILLING, ''))?.[1];
  if (digits === undefined) return undefined;
  return { phone: `+${digits}`, waId: digits, userId: madeUpUserId(digits), name: nameOf(digits) };
}

/** The person with that user id, whose number is not known; `undefined` if the text is no user id. */
export function personOfUserId(text: string): Person | undefined {
  return USER_ID.test(text) ? { userId: text, name: nameOf(text) } : undefined;
}

/** A group, in the place of a person. Every id is accepted as one of a group. */
export function personOfGroup(groupId: string): Person {
  return { waId: groupId, userId: madeUpUserId(groupId), name: nameOf(groupId) };
}

/** The same person with the number hidden, as the provider does for people it has not shown to this business. */
export function withoutPhone({ userId, name }: Person): Person {
  return { userId, name };
}

function madeUpUserId(text: string): string {
  return `US.${digitsOf(text, 18)}`;
}

/** The name has a letter outside ASCII, so that everybody who verifies or reads notifications meets one. */
function nameOf(text: string): string {
  return `Zoë ${text.slice(-4)}`;
}
