import { isRecord } from '../../../kernel/is-record.ts';
import type { MessageError } from '../../../kernel/message-errors.ts';
import type { Person, Pricing, StatusItem, UndecodableReason } from '../../notification.ts';
import { type Change, originOf } from './change.ts';
import { readErrors } from './errors.ts';
import { type Contacts, contactOf, readPerson, readRecipient, withContact } from './person.ts';
import { booleanAt, idAt, type JsonObject, objectAt, textAt, timeAt, wordAt } from './values.ts';

/**
 * Reads one status of a message that we sent. Nothing but the message's id, the status and our number is needed: the
 * rest comes and goes with versions and with what the person hides.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages/status
 */
export function decodeStatus(item: JsonObject, change: Change, contacts: Contacts): StatusItem | UndecodableReason {
  const { phoneNumberId } = change;
  if (phoneNumberId === undefined) return 'no_phone_number_id';
  const providerMessageId = idAt(item, 'id');
  if (providerMessageId === undefined) return 'no_message_id';
  const status = readStatus(item);
  if (status === undefined) return 'no_status';
  const inGroup = textAt(item, 'recipient_type') === 'group';
  const recipient = inGroup ? readParticipant(item) : readRecipient(item);
  return {
    ...originOf(change, `status.${status}`),
    kind: 'status',
    phoneNumberId,
    providerMessageId,
    status,
    at: timeAt(item, 'timestamp'),
    callbackData: idAt(item, 'biz_opaque_callback_data'),
    recipient: withContact(recipient, contactOf(contacts, recipient)),
    groupId: inGroup ? idAt(item, 'recipient_id') : undefined,
    errors: readStatusErrors(item, status),
    pricing: readPricing(item),
  };
}

/**
 * What becomes of a payment that a message asked for stands in the same list, under the message's id and partly in the same words. A
 * payment that failed must not make a failure of a message that has arrived, so that it gets a word of its own.
 */
function readStatus(item: JsonObject): string | undefined {
  const status = textAt(item, 'status');
  return status !== undefined && wordAt(item, 'type') === 'payment' ? `payment_${status}` : status;
}

/** In a group `recipient_id` is the group. Public sources write the other members in two orders; both are read. */
function readParticipant(item: JsonObject): Person {
  return readPerson(
    idAt(item, 'recipient_participant_id') ?? idAt(item, 'participant_recipient_id'),
    idAt(item, 'recipient_participant_user_id') ?? idAt(item, 'participant_recipient_user_id'),
    idAt(item, 'recipient_participant_parent_user_id') ?? idAt(item, 'participant_parent_recipient_user_id'),
  );
}

function readStatusErrors(item: JsonObject, status: string): MessageError[] {
  const errors = readErrors(item);
  return errors.length === 0 && status === 'failed' ? [{ code: 'provider_rejected' }] : errors;
}

/** Pricing stands beside or within `conversation`; before mid-2025 its category was the conversation's origin. */
function readPricing(item: JsonObject): Pricing | undefined {
  const conversation = objectAt(item, 'conversation');
  const pricing = item.pricing ?? conversation.pricing;
  if (!isRecord(pricing)) return undefined;
  return {
    billable: booleanAt(pricing, 'billable'),
    model: textAt(pricing, 'pricing_model'),
    type: wordAt(pricing, 'type'),
    category: (wordAt(pricing, 'category') ?? wordAt(objectAt(conversation, 'origin'), 'type'))?.replaceAll('-', '_'),
  };
}
