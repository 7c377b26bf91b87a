import { randomInt } from 'node:crypto';
import { insertAudit, PLATFORM } from '../accounts/audit-store.ts';
import { noAccount } from '../accounts/require-account.ts';
import { lockAccount } from '../accounts/store.ts';
import { appendEvents } from '../events/store.ts';
import { ApiError } from '../kernel/errors.ts';
import { formatId, newId } from '../kernel/ids.ts';
import type { Mode } from '../kernel/principal.ts';
import type { Sealer } from '../kernel/sealed.ts';
import { unavailable } from '../kernel/unavailable.ts';
import type { Provider, Sender, SenderFacts } from '../provider/port.ts';
import type { Database, Queryable } from '../store/database.ts';
import { draftDefaultEvents } from './default-events.ts';
import {
  type ChannelRow,
  clearDefaultChannel,
  insertChannel,
  listUsableChannels,
  type NewChannelRow,
} from './store.ts';

export interface ConnectWish {
  accountId: string;
  mode: Mode;
  phoneNumberId: string;
  businessAccountId: string;
  /** In E.164 form. */
  phoneNumber: string;
  accessToken: string;
  isDefault: boolean;
}

interface Deps {
  database: Database;
  provider: Provider;
  sealer: Sealer;
}

/**
 * Connects a number, after the provider has accepted it. Throws `channel_refused`, `unavailable` or `channel_taken`, and
 * `not_found` if the account was deleted meanwhile.
 */
export async function connectChannel({ database, provider, sealer }: Deps, wish: ConnectWish): Promise<ChannelRow> {
  const { accountId, mode, phoneNumberId, accessToken, businessAccountId, isDefault } = wish;
  const sender = { accountId, mode, phoneNumberId, accessToken };
  const { name, quality, throughputPerSecond, messagingLimit } = await askProvider(provider, sender, businessAccountId);
  const row = {
    ...newRow(wish, sealer),
    name,
    quality,
    throughput_per_second: throughputPerSecond,
    messaging_limit: messagingLimit,
  };
  return database.transaction(async (tx) => {
    // The account may have been deleted while the provider was asked; and two new defaults wait for one another.
    if ((await lockAccount(tx, accountId)) === undefined) throw noAccount();
    const before = await listUsableChannels(tx, accountId);
    if (isDefault) await clearDefaultChannel(tx, accountId, mode, row.id);
    const channel = await insertChannel(tx, row);
    if (channel === undefined) throw new ApiError('channel_taken', 'This phone number id belongs to another channel.');
    const target = formatId('chn', channel.id);
    const detail = { mode, phone_number_id: phoneNumberId };
    await insertAudit(tx, { accountId, actor: PLATFORM, action: 'channel.connected', target, detail });
    await appendEvents(tx, await draftDefaultEvents(tx, accountId, before, channel.id));
    return channel;
  });
}

/** Shows a number and its token to the provider. Throws `channel_refused` or `unavailable`. */
export async function askProvider(provider: Provider, sender: Sender, businessAccountId: string): Promise<SenderFacts> {
  const outcome = await provider.connect(sender, businessAccountId);
  if (outcome.kind === 'refused') throw new ApiError('channel_refused', outcome.detail);
  if (outcome.kind === 'unavailable') throw unavailable('The provider could not be asked.', { retryAfterSeconds: 5 });
  return outcome.facts;
}

/** The test channel that every account is born with. The sandbox accepts any number, so it is made up. */
export async function bearTestChannel(tx: Queryable, sealer: Sealer, accountId: string): Promise<void> {
  const digits = (length: number) => Array.from({ length }, () => randomInt(10)).join('');
  const wish: ConnectWish = {
    accountId,
    mode: 'test',
    phoneNumberId: `1${digits(14)}`,
    businessAccountId: `2${digits(14)}`,
    phoneNumber: `+15559${digits(6)}`,
    accessToken: `sandbox-${newId()}`,
    isDefault: true,
  };
  const channel = await insertChannel(tx, { ...newRow(wish, sealer), name: 'Sandbox' });
  if (channel === undefined) throw new Error('A made-up phone number id was taken already');
}

function newRow(wish: ConnectWish, sealer: Sealer): NewChannelRow {
  const id = newId();
  return {
    account_id: wish.accountId,
    id,
    mode: wish.mode,
    phone_number_id: wish.phoneNumberId,
    business_account_id: wish.businessAccountId,
    phone_number: wish.phoneNumber,
    name: null,
    access_token_sealed: sealer.seal(wish.accessToken, id),
    is_default: wish.isDefault,
    quality: null,
    throughput_per_second: null,
    messaging_limit: null,
  };
}
