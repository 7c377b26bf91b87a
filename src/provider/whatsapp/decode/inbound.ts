import { isRecord } from '../../../kernel/is-record.ts';
import { INBOUND_TYPES } from '../../inbound-types.ts';
import type { ConversationItem, InboundItem, OverheardItem, Person, UndecodableReason } from '../../notification.ts';
import { type Change, originOf } from './change.ts';
import { type Contacts, contactOf, readPerson, readRecipient, withContact } from './person.ts';
import { booleanAt, idAt, type JsonObject, keptJson, listOrOneAt, objectAt, textAt, timeAt, wordAt } from './values.ts';

/** The types whose content stands in the member of their name, whatever it is. */
const TYPES: ReadonlySet<string> = new Set(['text', ...INBOUND_TYPES]);

/**
 * Reads one message from a person. Its content is passed on as it came, so that a new kind of button or of media
 * needs no change here. The sender's number may be hidden, and a system message has no contact.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages
 */
export function decodeInbound(item: JsonObject, change: Change, contacts: Contacts): InboundItem | UndecodableReason {
  const { phoneNumberId } = change;
  if (phoneNumberId === undefined) return 'no_phone_number_id';
  const providerMessageId = idAt(item, 'id');
  if (providerMessageId === undefined) return 'no_message_id';
  const type = textAt(item, 'type') ?? 'unknown';
  const person = readFrom(item);
  const contact = contactOf(contacts, person);
  return {
    ...originOf(change, `message.${type}`),
    kind: 'inbound',
    phoneNumberId,
    providerMessageId,
    type,
    from: withContact(person, contact),
    at: timeAt(item, 'timestamp'),
    replyToProviderMessageId: idAt(objectAt(item, 'context'), 'id'),
    groupId: idAt(item, 'group_id'),
    content: readContent(item, type),
    profile: contact?.profile,
  };
}

/**
 * A person wrote to one of our numbers while another sender on it, such as the provider's own agent, has the conversation. We are let
 * know, and are not expected to answer.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/standby
 */
export function decodeOverheard(
  item: JsonObject,
  change: Change,
  contacts: Contacts,
): OverheardItem | UndecodableReason {
  const decoded = decodeInbound(item, change, contacts);
  return typeof decoded === 'string' ? decoded : { ...decoded, kind: 'overheard' };
}

/** A call began or ended. One that the person began opens the window for free-form messages, as writing does. */
export function decodeCall(item: JsonObject, change: Change, contacts: Contacts): ConversationItem {
  const call = readConversation('call', wordAt(item, 'event') ?? wordAt(item, 'status'), item, change);
  return { ...call, talker: wordAt(item, 'direction') === 'user_initiated' ? readSender(item, contacts) : undefined };
}

/**
 * A call of ours rang, was accepted or rejected. One that the person accepted opens the window too.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/calling/pricing
 */
export function decodeCallStatus(item: JsonObject, change: Change, contacts: Contacts): ConversationItem {
  const status = wordAt(item, 'status');
  const recipient = readRecipient(item);
  const talker = status === 'accepted' ? withContact(recipient, contactOf(contacts, recipient)) : undefined;
  return { ...readConversation('call', status, item, change), talker };
}

/** The number's owner wrote from the phone, beside us. */
export function decodeEcho(item: JsonObject, change: Change): ConversationItem {
  return readConversation('echo', wordAt(item, 'type'), item, change);
}

/** Talk from before the number was connected. */
export function decodeHistory(item: JsonObject, change: Change): ConversationItem {
  return readConversation('history', undefined, item, change);
}

function readConversation(
  kind: ConversationItem['kind'],
  detail: string | undefined,
  item: JsonObject,
  change: Change,
): ConversationItem {
  return {
    ...originOf(change, detail),
    kind,
    providerId: idAt(item, 'id'),
    talker: undefined,
    at: timeAt(item, 'timestamp'),
    content: keptJson(item),
  };
}

function readFrom(item: JsonObject): Person {
  return readPerson(idAt(item, 'from'), idAt(item, 'from_user_id'), idAt(item, 'from_parent_user_id'));
}

function readSender(item: JsonObject, contacts: Contacts): Person {
  const person = readFrom(item);
  return withContact(person, contactOf(contacts, person));
}

/** Of a type that is not known, an object of its name is the content. Where there is none, the whole message is. */
function readContent(item: JsonObject, type: string): unknown {
  const content = TYPES.has(type) || (Object.hasOwn(item, type) && isRecord(item[type])) ? item[type] : undefined;
  return keptJson(isRecord(content) ? { ...besideContent(item), ...content } : (content ?? item));
}

/**
 * What the provider tells of the message beside its content: what it could not hand over, the group that it was written in, the ad
 * that it comes from, what it is about, that it was forwarded, and the person's new identity. Told with the content.
 */
function besideContent(item: JsonObject): JsonObject {
  const context = objectAt(item, 'context');
  const errors = listOrOneAt(item, 'errors');
  const beside = {
    errors: errors.length > 0 ? errors : undefined,
    group_id: idAt(item, 'group_id'),
    referral: objectOrNone(item.referral),
    identity: objectOrNone(item.identity),
    forwarded: booleanAt(context, 'forwarded'),
    frequently_forwarded: booleanAt(context, 'frequently_forwarded'),
    referred_product: objectOrNone(context.referred_product),
  };
  return Object.fromEntries(Object.entries(beside).filter(([, value]) => value !== undefined));
}

function objectOrNone(value: unknown): JsonObject | undefined {
  return isRecord(value) ? value : undefined;
}
