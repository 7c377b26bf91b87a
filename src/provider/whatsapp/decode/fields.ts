import { isRecord } from '../../../kernel/is-record.ts';
import type { NotificationItem, OtherItem, UndecodableItem, UndecodableReason } from '../../notification.ts';
import {
  decodeAccountUpdate,
  decodeBusinessCapability,
  decodeBusinessUsername,
  decodeFlow,
  decodePhoneNumber,
  decodeSecurity,
} from './account.ts';
import { type Change, type ItemDecoder, originOf } from './change.ts';
import { readErrors } from './errors.ts';
import { decodeCall, decodeCallStatus, decodeEcho, decodeHistory, decodeInbound, decodeOverheard } from './inbound.ts';
import { type Contacts, readContacts } from './person.ts';
import { decodeUserIdUpdate, decodeUserPreference } from './preferences.ts';
import { decodeStatus } from './status.ts';
import {
  decodeTemplateCategory,
  decodeTemplateComponents,
  decodeTemplateQuality,
  decodeTemplateStatus,
} from './template.ts';
import { keptJson, listAt, objectAt } from './values.ts';

type Lists = readonly (readonly [name: string, decode: ItemDecoder])[];

/** The fields whose value holds lists: each element is an item of its own. */
const LISTS: ReadonlyMap<string, Lists> = new Map<string, Lists>([
  [
    'messages',
    [
      ['statuses', decodeStatus],
      ['messages', decodeInbound],
    ],
  ],
  [
    'calls',
    [
      ['calls', decodeCall],
      ['statuses', decodeCallStatus],
    ],
  ],
  ['message_echoes', [['message_echoes', decodeEcho]]],
  ['smb_message_echoes', [['message_echoes', decodeEcho]]],
  ['history', [['history', decodeHistory]]],
  ['user_preferences', [['user_preferences', decodeUserPreference]]],
  ['user_id_update', [['user_id_update', decodeUserIdUpdate]]],
]);

/** The fields whose value is the item. */
const SINGLES: ReadonlyMap<string, ItemDecoder> = new Map<string, ItemDecoder>([
  ['message_template_status_update', decodeTemplateStatus],
  ['message_template_quality_update', decodeTemplateQuality],
  ['template_category_update', decodeTemplateCategory],
  ['message_template_components_update', decodeTemplateComponents],
  ['phone_number_quality_update', decodePhoneNumber],
  ['phone_number_name_update', decodePhoneNumber],
  ['account_update', decodeAccountUpdate],
  ['business_capability_update', decodeBusinessCapability],
  // Renamed between February and mid-2026: both spellings are in use.
  ['business_username_update', decodeBusinessUsername],
  ['business_username_updates', decodeBusinessUsername],
  ['flows', decodeFlow],
  ['security', decodeSecurity],
]);

/**
 * Reads the items of one change. Each is read apart; `pointer` is where the change's value stands in the body. A field
 * that is not listed here is kept as it came, and so is a known one with nothing in it.
 */
export function* decodeChange(change: Change, value: unknown, pointer: string): Generator<NotificationItem> {
  const lists = LISTS.get(change.field);
  const single = SINGLES.get(change.field);
  if (change.field === 'standby') yield* decodeStandby(change, value, pointer);
  else if (lists === undefined && single === undefined) yield other(change, value);
  else if (!isRecord(value)) yield undecodable(change, 'not_an_object', pointer);
  else if (single !== undefined) yield decodeItem(single, value, { change, contacts: readContacts(value, 1), pointer });
  else if (lists !== undefined) yield* decodeLists(lists, change, pointer);
}

export function undecodable(change: Change, reason: UndecodableReason, pointer: string): UndecodableItem {
  return { ...originOf(change, 'undecodable'), kind: 'undecodable', reason, pointer };
}

function* decodeLists(lists: Lists, change: Change, pointer: string): Generator<NotificationItem> {
  const found = lists.map(([name, decode]) => ({ name, decode, list: listAt(change.value, name) }));
  const itemCount = found.reduce((sum, { list }) => sum + list.length, 0);
  const contacts = readContacts(change.value, itemCount);
  for (const { name, decode, list } of found) {
    const source = { change, contacts, pointer: `${pointer}/${name}` };
    for (const [index, item] of list.entries()) yield decodeItem(decode, item, source, index);
  }
  const errors = readErrors(change.value);
  if (errors.length > 0) yield { ...originOf(change, 'error'), kind: 'message_error', errors };
  else if (itemCount === 0) yield other(change, change.value);
}

/** Its lists stand one level deeper. The statuses and echoes among them are of what others sent, and nothing of ours follows from them. */
function* decodeStandby(change: Change, value: unknown, pointer: string): Generator<NotificationItem> {
  const standby = objectAt(change.value, 'standby');
  const messages = listAt(standby, 'messages');
  if (messages.length === 0) yield other(change, value);
  const contacts = readContacts(standby, messages.length);
  const source = { change, contacts, pointer: `${pointer}/standby/messages` };
  for (const [index, item] of messages.entries()) yield decodeItem(decodeOverheard, item, source, index);
}

/** What an item comes from. */
interface Source {
  change: Change;
  contacts: Contacts;
  /** Where the item stands in the body, or the list that it is in. */
  pointer: string;
}

/** `index` is the item's place, if it is in a list. */
function decodeItem(
  decode: ItemDecoder,
  item: unknown,
  { change, contacts, pointer }: Source,
  index?: number,
): NotificationItem {
  const decoded = isRecord(item) ? decode(item, change, contacts) : 'not_an_object';
  if (typeof decoded !== 'string') return decoded;
  return undecodable(change, decoded, index === undefined ? pointer : `${pointer}/${index}`);
}

function other(change: Change, value: unknown): OtherItem {
  return { ...originOf(change), kind: 'other', field: change.field, content: keptJson(value) };
}
