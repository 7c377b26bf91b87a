import { readPhoneNumber } from '../kernel/phone-number.ts';
import type { Queryable } from '../store/database.ts';
import { type AccountRow, listAccountRows } from './store.ts';

/** How many accounts are looked at by one statement. */
const SLICE = 1000;

/**
 * It reads the table of another slice: what the provider writes about is a number, and the platform looks for whose it is. Removed channels
 * are told too: no index has both these and all three names, and of two that had one each the planner took now one, now the other.
 */
const ACCOUNTS_OF_CHANNELS = `
  select account_id, status <> 'removed' as is_connected from channel
  where phone_number_id = $1 or business_account_id = $1 or phone_number = $2 order by account_id, id`;

interface OwnerRow {
  account_id: string;
  is_connected: boolean;
}

/**
 * Accounts that have `text` in their name, whatever the case and the accents of its letters, or that it names exactly: by their id, or by
 * the phone number, phone number id or business account id of one of their channels. Names are compared here and not by the database,
 * whose `lower` knows only the letters from A to Z in the locale C. Not more than `limit`, newest first; `before` is the last id of the
 * page before.
 */
export async function searchAccountRows(
  store: Queryable,
  text: string,
  before: string | null,
  limit: number,
): Promise<AccountRow[]> {
  const phoneNumber = readPhoneNumber(text.startsWith('+') ? text : `+${text}`) ?? null;
  const channels = await store.query<OwnerRow>(ACCOUNTS_OF_CHANNELS, [text, phoneNumber]);
  const owners = channels.filter((channel) => channel.is_connected).map((channel) => channel.account_id);
  const named = new Set([text, ...owners]);
  const wanted = folded(text);
  const found: AccountRow[] = [];
  let last = before;
  for (;;) {
    const slice = await listAccountRows(store, last, SLICE);
    found.push(...slice.filter(({ id, name }) => named.has(id) || folded(name).includes(wanted)));
    last = slice.at(-1)?.id ?? null;
    if (slice.length < SLICE || found.length >= limit) return found.slice(0, limit);
  }
}

/** Two capital letters may stand for one small one, as in STRASSE and Straße, so capitals come first. */
function folded(text: string): string {
  const withoutAccents = text.normalize('NFKD').replace(/[\u0300-\u036f]/g, '');
  return withoutAccents.toUpperCase().toLowerCase().normalize('NFKC');
}
