import type { UndecodableReason, UserIdUpdateItem, UserPreferenceItem } from '../../notification.ts';
import { type Change, originOf } from './change.ts';
import { type Contacts, contactOf, normalisePhone, readPerson, withContact } from './person.ts';
import { idAt, type JsonObject, objectAt, timeAt, wordAt } from './values.ts';

/**
 * Reads that a person stopped or resumed a category of messages.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/user_preferences
 */
export function decodeUserPreference(
  item: JsonObject,
  change: Change,
  contacts: Contacts,
): UserPreferenceItem | UndecodableReason {
  const value = wordAt(item, 'value');
  if (value === undefined) return 'no_value';
  const named = readPerson(idAt(item, 'wa_id'), idAt(item, 'user_id'), idAt(item, 'parent_user_id'));
  const person = withContact(named, contactOf(contacts, named));
  // A stop that is nobody's would have no effect and look applied: somebody has to see it.
  if (Object.values(person).every((name) => name === undefined)) return 'no_person';
  return {
    ...originOf(change, value),
    kind: 'user_preference',
    person,
    category: wordAt(item, 'category'),
    value,
    at: timeAt(item, 'timestamp'),
  };
}

/**
 * Reads that a person's user id became another.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/business-scoped-user-ids
 */
export function decodeUserIdUpdate(item: JsonObject, change: Change): UserIdUpdateItem | UndecodableReason {
  const userId = objectAt(item, 'user_id');
  const parentUserId = objectAt(item, 'parent_user_id');
  const current = idAt(userId, 'current');
  if (current === undefined) return 'no_user_id';
  return {
    ...originOf(change),
    kind: 'user_id_update',
    phone: normalisePhone(idAt(item, 'wa_id')),
    previousUserId: idAt(userId, 'previous'),
    userId: current,
    previousParentUserId: idAt(parentUserId, 'previous'),
    parentUserId: idAt(parentUserId, 'current'),
    at: timeAt(item, 'timestamp'),
  };
}
