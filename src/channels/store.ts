import type { Mode } from '../kernel/principal.ts';
import type { Queryable } from '../store/database.ts';

export interface ChannelRow {
  account_id: string;
  id: string;
  mode: Mode;
  phone_number_id: string;
  business_account_id: string;
  phone_number: string;
  name: string | null;
  access_token_sealed: Buffer;
  is_default: boolean;
  status: 'connected' | 'suspended' | 'removed';
  quality: string | null;
  throughput_per_second: number | null;
  messaging_limit: string | null;
  created_at: Date;
  updated_at: Date;
}

const COLUMNS = `account_id, id, mode, phone_number_id, business_account_id, phone_number, name, access_token_sealed,
  is_default, status, quality, throughput_per_second, messaging_limit, created_at, updated_at`;

const CHANNEL_LIST_USABLE = `
  select ${COLUMNS} from channel where account_id = $1 and status <> 'removed' order by id`;

/** The channels that an account has now, suspended ones too, oldest first. There are few. */
export function listUsableChannels(store: Queryable, accountId: string): Promise<ChannelRow[]> {
  return store.query<ChannelRow>(CHANNEL_LIST_USABLE, [accountId]);
}

const CHANNEL_LIST = `
  select ${COLUMNS} from channel
  where account_id = $1 and ($2::mode is null or mode = $2) and ($3::uuid is null or id < $3)
  order by id desc limit $4`;

/** A page of channels, newest first, removed ones too. */
export function listChannelRows(
  store: Queryable,
  accountId: string,
  mode: Mode | null,
  before: string | null,
  limit: number,
): Promise<ChannelRow[]> {
  return store.query<ChannelRow>(CHANNEL_LIST, [accountId, mode, before, limit]);
}

const CHANNEL_INSERT = `
  insert into channel (account_id, id, mode, phone_number_id, business_account_id, phone_number, name,
    access_token_sealed, is_default, quality, throughput_per_second, messaging_limit)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
  on conflict (phone_number_id) where status <> 'removed' do nothing
  returning ${COLUMNS}`;

export type NewChannelRow = Omit<ChannelRow, 'status' | 'created_at' | 'updated_at'>;

/** undefined: the phone number id belongs to another channel on this platform. */
export async function insertChannel(tx: Queryable, row: NewChannelRow): Promise<ChannelRow | undefined> {
  const values = [
    row.account_id,
    row.id,
    row.mode,
    row.phone_number_id,
    row.business_account_id,
    row.phone_number,
    row.name,
    row.access_token_sealed,
    row.is_default,
    row.quality,
    row.throughput_per_second,
    row.messaging_limit,
  ];
  return (await tx.query<ChannelRow>(CHANNEL_INSERT, values))[0];
}

const CHANNEL_CLEAR_DEFAULT = `
  update channel set is_default = false, updated_at = now() where account_id = $1 and mode = $2 and is_default`;

/** An account has one default channel a mode: the one before steps back. */
export async function clearDefaultChannel(tx: Queryable, accountId: string, mode: Mode): Promise<void> {
  await tx.query(CHANNEL_CLEAR_DEFAULT, [accountId, mode]);
}

/** Conditional, so that a channel whose token was changed meanwhile stays connected. */
const CHANNEL_SUSPEND = `
  update channel set status = 'suspended', updated_at = now()
  where account_id = $1 and id = $2 and status = 'connected' and access_token_sealed = $3
  returning id`;

/** Whether this call suspended it. `sealedToken` is the one that the provider refused. */
export async function suspendChannelRow(
  store: Queryable,
  accountId: string,
  id: string,
  sealedToken: Buffer,
): Promise<boolean> {
  return (await store.query(CHANNEL_SUSPEND, [accountId, id, sealedToken])).length > 0;
}

/** Where a notification goes: found on the whole platform, because a notification names numbers and no accounts. */
export interface ChannelTarget {
  account_id: string;
  id: string;
  mode: Mode;
  business_account_id: string;
  phone_number: string;
}

const CHANNEL_BY_NUMBER_ID = `
  select account_id, id, mode, business_account_id, phone_number from channel
  where phone_number_id = $1 and status <> 'removed'`;

export async function findChannelByNumberId(
  store: Queryable,
  phoneNumberId: string,
): Promise<ChannelTarget | undefined> {
  return (await store.query<ChannelTarget>(CHANNEL_BY_NUMBER_ID, [phoneNumberId]))[0];
}

const CHANNEL_BY_BUSINESS = `
  select account_id, id, mode, business_account_id, phone_number from channel
  where business_account_id = $1 and status <> 'removed' order by account_id, id`;

export function listChannelsOfBusiness(store: Queryable, businessAccountId: string): Promise<ChannelTarget[]> {
  return store.query<ChannelTarget>(CHANNEL_BY_BUSINESS, [businessAccountId]);
}

const CHANNEL_NOTE_LIMIT = `
  update channel set messaging_limit = $3, updated_at = now()
  where account_id = $1 and id = $2 and messaging_limit is distinct from $3`;

/** Keeps a messaging limit that the provider told of. */
export async function noteMessagingLimit(
  tx: Queryable,
  { account_id: accountId, id }: ChannelTarget,
  limit: string,
): Promise<void> {
  await tx.query(CHANNEL_NOTE_LIMIT, [accountId, id, limit]);
}
