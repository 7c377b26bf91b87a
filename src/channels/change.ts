import { type AuditAction, insertAudit, PLATFORM } from '../accounts/audit-store.ts';
import { lockAccount } from '../accounts/store.ts';
import { appendEvents } from '../events/store.ts';
import { formatId } from '../kernel/ids.ts';
import { noSuch } from '../kernel/no-such.ts';
import type { Sealer } from '../kernel/sealed.ts';
import type { Provider } from '../provider/port.ts';
import type { Database, Queryable } from '../store/database.ts';
import { askProvider } from './connect.ts';
import { draftDefaultEvents } from './default-events.ts';
import { noteFacts } from './facts-store.ts';
import { channelEvent } from './present.ts';
import {
  type ChannelRow,
  clearDefaultChannel,
  listUsableChannels,
  lockChannels,
  removeChannels,
  updateChannel,
} from './store.ts';

interface Deps {
  database: Database;
  provider: Provider;
  sealer: Sealer;
}

export interface ChannelWish {
  accessToken?: string | undefined;
  /** In E.164 form. */
  phoneNumber?: string | undefined;
  isDefault?: boolean | undefined;
}

/**
 * Changes a channel. A new token is shown to the provider first, and one that it accepts connects a suspended channel
 * again. Throws `channel_refused` or `unavailable`, and `not_found` if it was removed meanwhile.
 */
export async function changeChannel(deps: Deps, before: ChannelRow, wish: ChannelWish): Promise<ChannelRow> {
  const { account_id: accountId, id, mode, business_account_id: businessAccountId } = before;
  const { accessToken, phoneNumber = null, isDefault = null } = wish;
  if (accessToken === undefined && phoneNumber === null && isDefault === null) return before;
  const sender = { accountId, mode, phoneNumberId: before.phone_number_id };
  const facts =
    accessToken === undefined
      ? undefined
      : await askProvider(deps.provider, { ...sender, accessToken }, businessAccountId);
  const sealedToken = accessToken === undefined ? null : deps.sealer.seal(accessToken, id);
  return deps.database.transaction(async (tx) => {
    // Two changes of the default wait for one another here, so that there is never more than one.
    if ((await lockAccount(tx, accountId)) === undefined) throw noSuch('chn');
    const channelsBefore = await listUsableChannels(tx, accountId);
    const own = channelsBefore.find((channel) => channel.id === id);
    if (own === undefined) throw noSuch('chn');
    await lockConcerned(tx, channelsBefore, own);
    if (isDefault === true) await clearDefaultChannel(tx, accountId, mode, id);
    const updated = await updateChannel(tx, accountId, id, { phoneNumber, isDefault, sealedToken });
    // It is as wished already, and nothing is told.
    if (updated === undefined) return own;
    const channel = (facts === undefined ? undefined : await noteFacts(tx, updated, facts)) ?? updated;
    await note(tx, channel, 'channel.updated', {
      ...(accessToken !== undefined && { access_token: 'changed' }),
      ...(phoneNumber !== null && { display_phone_number: phoneNumber }),
      ...(isDefault !== null && { default: isDefault }),
    });
    const others = await draftDefaultEvents(tx, accountId, channelsBefore, id);
    await appendEvents(tx, [...others, channelEvent(channel)]);
    return channel;
  });
}

/** Nothing is sent from a removed channel, and its number can be connected again; its messages stay. */
export function removeChannel(database: Database, { account_id: accountId, id }: ChannelRow): Promise<void> {
  return database.transaction(async (tx) => {
    // Two that are removed at once wait for one another, so that what is left is told once of being the default.
    if ((await lockAccount(tx, accountId)) === undefined) throw noSuch('chn');
    const before = await listUsableChannels(tx, accountId);
    const own = before.find((channel) => channel.id === id);
    if (own === undefined) throw noSuch('chn');
    await lockConcerned(tx, before, own);
    const [removed] = await removeChannels(tx, accountId, id);
    if (removed === undefined) throw noSuch('chn');
    await note(tx, removed, 'channel.removed', {});
    const others = await draftDefaultEvents(tx, accountId, before, id);
    await appendEvents(tx, [channelEvent(removed), ...others]);
  });
}

/**
 * Locks a channel and those that may become the default or be it no more, in the order in which a notification about several of them
 * locks them. One after another, as they are written, they would be locked in another order, and the two could wait in a circle.
 */
async function lockConcerned(tx: Queryable, all: readonly ChannelRow[], own: ChannelRow): Promise<void> {
  const ofMode = all.filter(({ mode }) => mode === own.mode);
  const areFew = ofMode.length <= 2;
  await lockChannels(
    tx,
    ofMode.filter(({ id, is_default: isDefault }) => areFew || isDefault || id === own.id),
  );
}

async function note(tx: Queryable, channel: ChannelRow, action: AuditAction, detail: object): Promise<void> {
  const target = formatId('chn', channel.id);
  await insertAudit(tx, { accountId: channel.account_id, actor: PLATFORM, action, target, detail });
}
