import { isRecord } from '../../../kernel/is-record.ts';
import type {
  AccountUpdateItem,
  BusinessCapabilityItem,
  BusinessUsernameItem,
  FlowItem,
  PhoneNumberItem,
  SecurityItem,
  UndecodableReason,
} from '../../notification.ts';
import { type Change, originOf } from './change.ts';
import { normaliseDisplayPhone } from './person.ts';
import { idAt, integerAt, type JsonObject, keptJson, listOrOneAt, objectAt, textAt, timeAt, wordAt } from './values.ts';

/**
 * Reads that a number's throughput or limit, or its name, changed. The number is named by its display form only.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/phone_number_quality_update
 */
export function decodePhoneNumber(value: JsonObject, change: Change): PhoneNumberItem | UndecodableReason {
  const displayPhoneNumber = readDisplayPhone(value);
  if (displayPhoneNumber === undefined) return 'no_display_phone_number';
  const event = wordAt(value, 'event') ?? wordAt(value, 'decision');
  if (event === undefined) return 'no_event';
  return {
    ...originOf(change),
    displayPhoneNumber,
    kind: 'phone_number',
    change: change.field === 'phone_number_name_update' ? 'name' : 'quality',
    event,
    messagingLimit: readLimit(value, 'max_daily_conversations_per_business') ?? readLimit(value, 'current_limit'),
    previousMessagingLimit: readLimit(value, 'old_limit'),
    name: textAt(value, 'requested_verified_name'),
    reason: wordAt(value, 'rejection_reason'),
    at: change.at,
  };
}

/**
 * Reads that the provider restricted, banned or freed a business account, or that its ties to partners changed.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/account_update
 */
export function decodeAccountUpdate(value: JsonObject, change: Change): AccountUpdateItem | UndecodableReason {
  const event = wordAt(value, 'event');
  if (event === undefined) return 'no_event';
  const ban = objectAt(value, 'ban_info');
  const state = wordAt(ban, 'waba_ban_state');
  return {
    ...originOf(change, event),
    kind: 'account_update',
    event,
    phone: normaliseDisplayPhone(idAt(value, 'phone_number')),
    restrictions: listOrOneAt(value, 'restriction_info').flatMap(readRestriction),
    ban: state === undefined ? undefined : { state, date: textAt(ban, 'waba_ban_date') },
    violation: wordAt(objectAt(value, 'violation_info'), 'violation_type'),
    subjectBusinessAccountId: idAt(objectAt(value, 'waba_info'), 'waba_id'),
    at: change.at,
    content: keptJson(value),
  };
}

/**
 * Reads what the business may do. The page says that the limit is an integer and then lists words; both are read.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/business_capability_update
 */
export function decodeBusinessCapability(value: JsonObject, change: Change): BusinessCapabilityItem {
  return {
    ...originOf(change),
    kind: 'business_capability',
    messagingLimit:
      readLimit(value, 'max_daily_conversations_per_business') ?? readLimit(value, 'max_daily_conversation_per_phone'),
    maxPhoneNumbers:
      integerAt(value, 'max_phone_numbers_per_waba') ?? integerAt(value, 'max_phone_numbers_per_business'),
    at: change.at,
  };
}

export function decodeBusinessUsername(value: JsonObject, change: Change): BusinessUsernameItem | UndecodableReason {
  const status = wordAt(value, 'status');
  if (status === undefined) return 'no_status';
  const username = textAt(value, 'username');
  return { ...originOf(change), kind: 'business_username', phone: readDisplayPhone(value), username, status };
}

export function decodeFlow(value: JsonObject, change: Change): FlowItem {
  return { ...originOf(change), kind: 'flow', event: wordAt(value, 'event'), content: keptJson(value) };
}

export function decodeSecurity(value: JsonObject, change: Change): SecurityItem {
  const event = wordAt(value, 'event');
  return { ...originOf(change), kind: 'security', event, phone: readDisplayPhone(value), content: keptJson(value) };
}

function readDisplayPhone(value: JsonObject): string | undefined {
  return normaliseDisplayPhone(idAt(value, 'display_phone_number'));
}

function readRestriction(restriction: unknown): AccountUpdateItem['restrictions'] {
  const type = isRecord(restriction) ? wordAt(restriction, 'restriction_type') : undefined;
  return isRecord(restriction) && type !== undefined ? [{ type, until: timeAt(restriction, 'expiration') }] : [];
}

/** What the provider says of the limit of a number that has not sent yet. The number's facts tell its limit all the same. */
const NO_LIMIT_YET = 'tier_not_set';

/** 2000, "2000" and "TIER_2K" are the same limit. */
function readLimit(value: JsonObject, name: string): string | undefined {
  const people = integerAt(value, name);
  const word = wordAt(value, name);
  if (people === undefined) return word === NO_LIMIT_YET ? undefined : word;
  if (people < 0) return 'tier_unlimited';
  return people > 0 && people % 1000 === 0 ? `tier_${people / 1000}k` : `tier_${people}`;
}
