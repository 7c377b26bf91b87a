import { askFactsAgain, noteMessagingLimit, readChannels } from '../channels/facts-store.ts';
import { channelEvent, type Restriction } from '../channels/present.ts';
import { type ChannelTarget, lockChannels } from '../channels/store.ts';
import type { EventDraft } from '../events/event.ts';
import type { AccountUpdateItem, BusinessCapabilityItem, PhoneNumberItem } from '../provider/notification.ts';
import type { Queryable } from '../store/database.ts';

export type ChannelItem = PhoneNumberItem | BusinessCapabilityItem | AccountUpdateItem;

/** What is told, and the channels that it may concern. */
interface ChannelNews {
  item: ChannelItem;
  targets: readonly ChannelTarget[];
}

/**
 * Applies what the provider tells of numbers and their business accounts, which may have thousands. Returns what their accounts are told.
 * All channels are locked at once and so in one order. Otherwise two nodes that are told of the same numbers could wait in a circle.
 */
export async function applyNewsOfChannels(tx: Queryable, news: readonly ChannelNews[]): Promise<EventDraft[]> {
  if (news.length === 0) return [];
  const all = news.map((one) => ({ ...one, channels: channelsOf(one) }));
  await lockChannels(
    tx,
    all.flatMap(({ channels }) => channels),
  );
  const drafts: EventDraft[] = [];
  for (const { item, channels } of all) drafts.push(...(await applyChannelItem(tx, item, channels)));
  return drafts;
}

/** The channels that are changed or told of. */
function channelsOf({ item, targets }: ChannelNews): readonly ChannelTarget[] {
  if (item.kind !== 'account_update') return targets;
  return readRestriction(item) === undefined ? [] : restrictedBy(item, targets);
}

async function applyChannelItem(
  tx: Queryable,
  item: ChannelItem,
  channels: readonly ChannelTarget[],
): Promise<EventDraft[]> {
  if (item.kind === 'account_update') {
    const restriction = readRestriction(item);
    if (restriction === undefined) return [];
    return (await readChannels(tx, channels)).map((channel) => channelEvent(channel, restriction));
  }
  // The notification names some facts only (a throughput is never among them), so the number is asked for soon.
  await askFactsAgain(tx, channels);
  if (item.messagingLimit === undefined) return [];
  return (await noteMessagingLimit(tx, channels, item.messagingLimit)).map((channel) => channelEvent(channel));
}

/**
 * Some restrictions, such as those of calls, are of one number: of the account that has it, the channel of that number is told alone. Others with
 * channels in the business account are told as of everything that concerns it.
 */
function restrictedBy({ phone }: AccountUpdateItem, targets: readonly ChannelTarget[]): readonly ChannelTarget[] {
  const owners = new Set(targets.filter((target) => target.phone_number === phone).map((target) => target.account_id));
  return targets.filter((target) => target.phone_number === phone || !owners.has(target.account_id));
}

/**
 * Events whose name says enough where the provider leaves out the details. Of the last three none are known: nothing can be sent from a business
 * account that is deleted, nor from one that is offboarded, as after its owner took another phone, until it is reconnected.
 */
const RESTRICTING = new Set([
  ...['account_restriction', 'disabled_update', 'account_violation'],
  ...['account_deleted', 'account_offboarded', 'account_reconnected'],
]);

/** undefined: it tells of something else, such as a partner. */
function readRestriction({ event, restrictions, ban, violation }: AccountUpdateItem): Restriction | undefined {
  const detailed = restrictions.length > 0 || ban !== undefined || violation !== undefined;
  if (!detailed && !RESTRICTING.has(event)) return undefined;
  return {
    event,
    restrictions: restrictions.map(({ type, until }) => ({ type, until: until?.toISOString() ?? null })),
    ban: ban === undefined ? null : { state: ban.state, date: ban.date ?? null },
    violation: violation ?? null,
  };
}
