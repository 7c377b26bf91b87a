import type { ItemOrigin, NotificationItem, UndecodableReason } from '../../notification.ts';
import type { Contacts } from './person.ts';
import { idAt, type JsonObject, objectAt, textAt, timeAt } from './values.ts';

/** One change of one business account: its field decides how its value is read. */
export interface Change {
  field: string;
  value: JsonObject;
  businessAccountId: string | undefined;
  phoneNumberId: string | undefined;
  /** When it happened; told of all fields but `messages`, whose items have times of their own. */
  at: Date | undefined;
}

/** Reads one item of a change, or says why it cannot. It gets whatever was sent and never throws. */
export type ItemDecoder = (
  item: JsonObject,
  change: Change,
  contacts: Contacts,
) => NotificationItem | UndecodableReason;

/** Reads what all items of a change share. What is missing, up to the whole change, reads as missing. */
export function readChange(entry: JsonObject, change: JsonObject): Change {
  const value = objectAt(change, 'value');
  return {
    field: textAt(change, 'field') ?? '',
    value,
    businessAccountId: idAt(entry, 'id'),
    phoneNumberId: idAt(objectAt(value, 'metadata'), 'phone_number_id'),
    at: timeAt(entry, 'time'),
  };
}

/** The origin of an item of this change. `detail` makes the label finer. */
export function originOf(change: Change, detail?: string): ItemOrigin {
  return {
    label: detail === undefined ? labelWord(change.field) : `${labelWord(change.field)}.${labelWord(detail)}`,
    businessAccountId: change.businessAccountId,
    phoneNumberId: change.phoneNumberId,
    displayPhoneNumber: undefined,
  };
}

/** What the provider writes is shown to operators and logged by its label: only a plain word goes into one. */
function labelWord(word: string): string {
  return /^[a-z0-9_.]{1,64}$/.test(word) ? word : 'unknown';
}
