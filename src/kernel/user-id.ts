/**
 * A business-scoped user id: a country, and for an enterprise `ENT`, before what names the person there.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/business-scoped-user-ids
 */
export const USER_ID = /^[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}$/;

const PARENT_USER_ID = /^[A-Z]{2}\.ENT\./;

/** Whether it is one that names a person at all businesses of an enterprise, and stands for a user id at each. */
export function isParentUserId(person: string): boolean {
  return PARENT_USER_ID.test(person);
}
