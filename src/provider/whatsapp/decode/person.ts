import { isRecord } from '../../../kernel/is-record.ts';
import { E164 } from '../../../kernel/phone-number.ts';
import { USER_ID } from '../../../kernel/user-id.ts';
import type { Person } from '../../notification.ts';
import { idAt, type JsonObject, keptJson, listAt } from './values.ts';

/** The form of a user id has at most 135, and two of them stand in one key of the database, which takes no endless one. */
const USER_ID_CHARACTERS_MAX = 256;

/** The E.164 form of a number written with or without its plus, if it can be one; else undefined. */
export function normalisePhone(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const number = text.startsWith('+') ? text : `+${text}`;
  return E164.test(number) ? number : undefined;
}

/** The same of a number as it is shown to people, such as `+1 555-078-3881`. */
export function normaliseDisplayPhone(text: string | undefined): string | undefined {
  return normalisePhone(text?.replace(/[^0-9+]/g, ''));
}

/**
 * A person from the members that name them. Since 2026 the number may be left out, and a user id was seen in its place.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/business-scoped-user-ids
 */
export function readPerson(phone: string | undefined, userId: string | undefined, parentUserId?: string): Person {
  const misplaced = phone !== undefined && USER_ID.test(phone) ? phone : undefined;
  return {
    phone: normalisePhone(phone),
    userId: unlessEndless(userId) ?? misplaced,
    parentUserId: unlessEndless(parentUserId),
  };
}

/** What is longer than any user id counts as missing: it must not keep what the person wrote from whom it was written to. */
function unlessEndless(userId: string | undefined): string | undefined {
  return userId !== undefined && userId.length <= USER_ID_CHARACTERS_MAX ? userId : undefined;
}

/** Whom a status is about. Public sources write the last member in two orders; both are read. */
export function readRecipient(status: JsonObject): Person {
  return readPerson(
    idAt(status, 'recipient_id'),
    idAt(status, 'recipient_user_id'),
    idAt(status, 'recipient_parent_user_id') ?? idAt(status, 'parent_recipient_user_id'),
  );
}

/** A person as a change tells of them beside its items. */
interface Contact extends Person {
  /** What the person is called, as the provider sent it. */
  profile: Record<string, unknown> | undefined;
}

/** The people whom a change tells of, to be found by either identity. */
export interface Contacts {
  byPhone: Map<string, Contact>;
  byUserId: Map<string, Contact>;
  /** The contact of a change that tells of one contact and one item only: whom else could it mean? */
  sole: Contact | undefined;
}

export function readContacts(value: JsonObject, itemCount: number): Contacts {
  const contacts = listAt(value, 'contacts').filter(isRecord).map(readContact);
  return {
    byPhone: new Map(contacts.flatMap((contact) => (contact.phone === undefined ? [] : [[contact.phone, contact]]))),
    byUserId: new Map(contacts.flatMap((contact) => (contact.userId === undefined ? [] : [[contact.userId, contact]]))),
    sole: contacts.length === 1 && itemCount === 1 ? contacts[0] : undefined,
  };
}

/**
 * The contact that is this person. A contact may have nothing but a user id where the status has nothing but a number;
 * then the sole one is taken, unless they contradict each other.
 */
export function contactOf(contacts: Contacts, { phone, userId }: Person): Contact | undefined {
  const byUserId = userId === undefined ? undefined : contacts.byUserId.get(userId);
  const known = byUserId ?? (phone === undefined ? undefined : contacts.byPhone.get(phone));
  if (known !== undefined || contacts.sole === undefined) return known;
  const { sole } = contacts;
  // By the same identity it would have been found, so one that both have is another one.
  const isOther =
    (phone !== undefined && sole.phone !== undefined) || (userId !== undefined && sole.userId !== undefined);
  return isOther ? undefined : sole;
}

/** The person, and what only the contact tells of them. */
export function withContact(person: Person, contact: Person | undefined): Person {
  if (contact === undefined) return person;
  return {
    phone: person.phone ?? contact.phone,
    userId: person.userId ?? contact.userId,
    parentUserId: person.parentUserId ?? contact.parentUserId,
  };
}

function readContact(contact: JsonObject): Contact {
  const person = readPerson(idAt(contact, 'wa_id'), idAt(contact, 'user_id'), idAt(contact, 'parent_user_id'));
  const profile = keptJson(contact.profile);
  return { ...person, profile: isRecord(profile) ? profile : undefined };
}
