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

/** An account's only channel of a mode is its default, whether or not it was made the default. `isOnly`: the condition that it is the only one. */
const columnsWith = (
  isOnly: string,
) => `account_id, id, mode, phone_number_id, business_account_id, phone_number, name, access_token_sealed,
  status <> 'removed' and (is_default or ${isOnly}) as is_default,
  status, quality, throughput_per_second, messaging_limit, created_at, updated_at`;

/** For one channel, or a few: another one is looked for beside each. */
export const CHANNEL_COLUMNS = columnsWith(`not exists (
    select from channel as other where other.account_id = channel.account_id and other.mode = channel.mode
      and other.id <> channel.id and other.status <> 'removed')`);

/**
 * For many channels of the accounts that the condition names: their channels are counted once. Looking for another one beside each of 3,000
 * took two seconds in an account that had removed 3,000 before, because each look goes past the removed ones.
 */
export const channelColumnsOf = (accounts: string) =>
  columnsWith(`(account_id, mode) in (
    select one.account_id, one.mode from channel as one where one.account_id ${accounts} and one.status <> 'removed'
    group by one.account_id, one.mode having count(*) = 1)`);

const CHANNEL_LIST_USABLE = `
  select ${channelColumnsOf('= $1')} from channel where account_id = $1 and status <> 'removed' order by id`;

/** The channels that an account has now, suspended ones too, oldest first. */
export function listUsableChannels(store: Queryable, accountId: string): Promise<ChannelRow[]> {
  return store.query<ChannelRow>(CHANNEL_LIST_USABLE, [accountId]);
}

const CHANNELS_LOCK = `
  select 1 from unnest($1::uuid[], $2::uuid[]) as t(account_id, id)
  join channel c on c.account_id = t.account_id and c.id = t.id
  order by c.account_id, c.id for no key update of c`;

/**
 * For those who tell of channels: what they read of these channels afterwards stays so until the end of the transaction. It must be a
 * statement of its own. Whether a channel is the default depends on the account's other channels too, and of these a statement sees
 * what was committed when it began.
 */
export async function lockChannels(tx: Queryable, channels: readonly NamedChannel[]): Promise<void> {
  await tx.query(CHANNELS_LOCK, idsOf(channels));
}

/** What names a channel. */
export type NamedChannel = Pick<ChannelRow, 'account_id' | 'id'>;

/** The ids of their accounts and their own, as a statement for several channels takes them. */
export function idsOf(channels: readonly NamedChannel[]): [string[], string[]] {
  return [channels.map((channel) => channel.account_id), channels.map(({ id }) => id)];
}

/** It reads the table of another slice: a message that waits for its turn must stop within the same time as its account, and asks often. */
const CHANNEL_LIST_SENDING = `
  select ${channelColumnsOf('= any($1::uuid[])')},
    (select a.suspended_at is not null from account a where a.id = channel.account_id) as account_suspended
  from channel where account_id = any($1::uuid[]) and status <> 'removed' order by id`;

export type SendingChannelRow = ChannelRow & { account_suspended: boolean };

/** The channels that each of these accounts has now, with whether the account is suspended. */
export async function listSendingChannels(
  store: Queryable,
  accountIds: readonly string[],
): Promise<SendingChannelRow[][]> {
  const rows = await store.query<SendingChannelRow>(CHANNEL_LIST_SENDING, [accountIds]);
  const byAccount = Map.groupBy(rows, ({ account_id: accountId }) => accountId);
  return accountIds.map((accountId) => byAccount.get(accountId) ?? []);
}

const CHANNEL_LIST = `
  select ${channelColumnsOf('= $1')} from channel
  where account_id = $1 and ($2::mode is null or mode = $2) and ($3::uuid is null or id < $3)
  order by id desc limit $4`;

/** A page of channels, newest first, removed ones too. */
export function listChannelRows(
  store: Queryable,
  { accountId, mode }: { accountId: string; mode: Mode | null },
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
  returning ${CHANNEL_COLUMNS}`;

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
  update channel set is_default = false, updated_at = now()
  where account_id = $1 and mode = $2 and is_default and status <> 'removed' and id <> $3`;

/** An account has one default channel a mode: the one before `next` steps back. */
export async function clearDefaultChannel(tx: Queryable, accountId: string, mode: Mode, next: string): Promise<void> {
  await tx.query(CHANNEL_CLEAR_DEFAULT, [accountId, mode, next]);
}

/** Conditional, so that a channel whose token was changed meanwhile stays connected. */
const CHANNEL_SUSPEND = `
  update channel set status = 'suspended', updated_at = now()
  where account_id = $1 and id = $2 and status = 'connected' and access_token_sealed = $3
  returning ${CHANNEL_COLUMNS}`;

/** The channel if this call suspended it. `sealedToken` is the one that the provider refused. */
export async function suspendChannelRow(
  tx: Queryable,
  accountId: string,
  id: string,
  sealedToken: Buffer,
): Promise<ChannelRow | undefined> {
  return (await tx.query<ChannelRow>(CHANNEL_SUSPEND, [accountId, id, sealedToken]))[0];
}

/** For the platform, which names a channel by its id alone. */
const CHANNEL_FIND = `select ${CHANNEL_COLUMNS} from channel where id = $1 and status <> 'removed'`;

export async function findChannel(store: Queryable, id: string): Promise<ChannelRow | undefined> {
  return (await store.query<ChannelRow>(CHANNEL_FIND, [id]))[0];
}

/** What a change sets; null: it stays. */
export interface ChannelChange {
  phoneNumber: string | null;
  isDefault: boolean | null;
  /** A token that the provider has accepted connects a suspended channel again. */
  sealedToken: Buffer | null;
}

const CHANNEL_UPDATE = `
  update channel set phone_number = coalesce($3, phone_number), is_default = coalesce($4, is_default),
    access_token_sealed = coalesce($5, access_token_sealed),
    status = case when $5::bytea is null then status else 'connected' end, updated_at = now()
  where account_id = $1 and id = $2 and status <> 'removed'
    and ($5::bytea is not null or phone_number <> coalesce($3, phone_number) or is_default <> coalesce($4, is_default))
  returning ${CHANNEL_COLUMNS}`;

/** undefined: it was removed meanwhile, or is as wished already. */
export async function updateChannel(
  tx: Queryable,
  accountId: string,
  id: string,
  { phoneNumber, isDefault, sealedToken }: ChannelChange,
): Promise<ChannelRow | undefined> {
  return (await tx.query<ChannelRow>(CHANNEL_UPDATE, [accountId, id, phoneNumber, isDefault, sealedToken]))[0];
}

/** The token of a channel that nothing is sent from any more is not kept. */
const CHANNELS_REMOVE = `
  update channel set status = 'removed', is_default = false, access_token_sealed = '', updated_at = now()
  where account_id = $1 and ($2::uuid is null or id = $2) and status <> 'removed' returning ${CHANNEL_COLUMNS}`;

/** Removes one channel of an account, or with null all of them. Returns what was removed. */
export function removeChannels(tx: Queryable, accountId: string, id: string | null): Promise<ChannelRow[]> {
  return tx.query<ChannelRow>(CHANNELS_REMOVE, [accountId, id]);
}

/** Where a notification goes: found on the whole platform, because a notification names numbers and no accounts. */
export interface ChannelTarget {
  account_id: string;
  id: string;
  mode: Mode;
  phone_number_id: string;
  business_account_id: string;
  phone_number: string;
  /** The channels that the same number had before, in any account; the last ones of very many. */
  former: NamedChannel[];
}

/** The ids of those in this account: what went out from them may still be reported. */
export function formerIdsOf(accountId: string, former: readonly NamedChannel[]): string[] {
  return former.filter((channel) => channel.account_id === accountId).map(({ id }) => id);
}

/**
 * What no channel of a number knows is looked for in each former one. A number that is removed and connected anew every day would after a year
 * hold up what came for all others.
 */
const FORMER_MAX = 20;

const TARGET_COLUMNS = `account_id, id, mode, phone_number_id, business_account_id, phone_number,
  array(select jsonb_build_object('account_id', f.account_id, 'id', f.id) from channel f
    where f.status = 'removed' and (f.mode, f.phone_number_id) = (c.mode, c.phone_number_id)
    order by f.id desc limit ${FORMER_MAX}) as former`;

/** One for each number at most: a number belongs to one channel on the whole platform. */
const CHANNEL_BY_NUMBER_ID = `
  select ${TARGET_COLUMNS} from channel c where phone_number_id = any($1) and status <> 'removed'`;

export function listChannelsByNumberId(store: Queryable, phoneNumberIds: readonly string[]): Promise<ChannelTarget[]> {
  return store.query<ChannelTarget>(CHANNEL_BY_NUMBER_ID, [phoneNumberIds]);
}

const CHANNEL_BY_BUSINESS = `
  select ${TARGET_COLUMNS} from channel c where business_account_id = any($1) and status <> 'removed'
  order by account_id, id`;

export function listChannelsOfBusinesses(
  store: Queryable,
  businessAccountIds: readonly string[],
): Promise<ChannelTarget[]> {
  return store.query<ChannelTarget>(CHANNEL_BY_BUSINESS, [businessAccountIds]);
}
