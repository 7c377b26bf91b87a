import { isRecord } from '../../../kernel/is-record.ts';
import type { DecodedNotification, NotificationItem } from '../../notification.ts';
import { readChange } from './change.ts';
import { decodeChange, undecodable } from './fields.ts';
import { parseAsSent } from './json.ts';
import { arrayAt, type JsonObject } from './values.ts';

/**
 * The provider puts at most 1,000 updates into one body. Its shortest, a status without a price, has 135 bytes, so no more of them
 * have room in the 4 MiB that are taken. A body made of nothing but brackets must not fill memory.
 */
const ITEMS_MAX = 32_000;

/**
 * Reads what the provider posted. It takes any bytes and never throws: what cannot be read becomes an item that says
 * so, in its place among the others.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/overview
 */
export function decodeNotification(rawBody: Buffer): DecodedNotification {
  const json = parseAsSent(rawBody.toString('utf8'));
  if (json.kind === 'not_json') return json;
  const items: NotificationItem[] = [];
  for (const item of readBody(json.value)) {
    if (items.length === ITEMS_MAX) {
      items.push(undecodable(readChange({}, {}), 'too_many_items', ''));
      break;
    }
    items.push(item);
  }
  return { kind: 'items', items };
}

function* readBody(body: unknown): Generator<NotificationItem> {
  const entries = isRecord(body) ? arrayAt(body, 'entry') : [];
  if (entries.length === 0 && !tellsNothing(body)) yield undecodable(readChange({}, {}), 'no_entries', '');
  for (const [index, entry] of entries.entries()) {
    const pointer = `/entry/${index}`;
    if (isRecord(entry)) yield* readEntry(entry, pointer);
    else yield undecodable(readChange({}, {}), 'not_an_object', pointer);
  }
}

/** A notification in the provider's form, whose list is there and empty: nothing is lost, and nobody needs to look at it. */
function tellsNothing(body: unknown): boolean {
  if (!isRecord(body) || body.object !== 'whatsapp_business_account') return false;
  return Array.isArray(body.entry) && body.entry.length === 0;
}

function* readEntry(entry: JsonObject, entryPointer: string): Generator<NotificationItem> {
  const changes = arrayAt(entry, 'changes');
  if (changes.length === 0) yield undecodable(readChange(entry, {}), 'no_changes', entryPointer);
  for (const [index, element] of changes.entries()) {
    const pointer = `${entryPointer}/changes/${index}`;
    const change = readChange(entry, isRecord(element) ? element : {});
    if (!isRecord(element)) yield undecodable(change, 'not_an_object', pointer);
    else if (change.field === '') yield undecodable(change, 'no_field', pointer);
    else yield* decodeChange(change, element.value, `${pointer}/value`);
  }
}
