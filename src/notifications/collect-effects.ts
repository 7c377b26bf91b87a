import { type ChannelTarget, formerIdsOf } from '../channels/store.ts';
import type { ChannelTargets, NamedByProvider } from '../channels/targets.ts';
import { idTimeMs, newId, parseId } from '../kernel/ids.ts';
import type { Mode } from '../kernel/principal.ts';
import type { StatusReport } from '../messages/report/apply-store.ts';
import type { InboundMessage } from '../messages/report/inbound-store.ts';
import type { ParentUserId } from '../people/parent-store.ts';
import type { Preference } from '../people/preference-store.ts';
import type { Contact } from '../people/window-store.ts';
import type {
  ConversationItem,
  InboundItem,
  NotificationItem,
  OverheardItem,
  Person,
  StatusItem,
  UserPreferenceItem,
} from '../provider/notification.ts';
import type { ChannelItem } from './apply-channels.ts';
import type { TemplateItem } from './apply-templates.ts';
import type { News } from './fresh-news.ts';
import { contactsOf, parentsOf, preferencesOf, saidAt } from './of-person.ts';
import type { Leftover } from './reason.ts';

/** One item of one notification on its way to its effect. */
export interface ItemWork {
  notificationId: string;
  origin: Mode;
  item: NotificationItem;
}

/** A message, and whose windows it opens if it was not received before. */
export interface Received {
  message: InboundMessage;
  contacts: Contact[];
  parents: ParentUserId[];
}

/** A report, and the place of its item in the batch. */
export interface PlacedReport {
  place: number;
  mode: Mode;
  report: StatusReport;
  recipient: Person;
}

/** What the items of a batch come to, sorted by where it is written. */
interface Effects {
  reports: PlacedReport[];
  inbound: Received[];
  contacts: Contact[];
  parents: ParentUserId[];
  preferences: Preference[];
  channels: News<ChannelItem>[];
  templates: News<TemplateItem>[];
}

/** A system message tells of a person's account; the person did not write it. */
const NOT_WRITTEN_BY_A_PERSON = 'system';
const MARKETING = 'marketing_messages';

/**
 * Tells what the items of a batch come to, without writing anything. `left`: why an item comes to nothing, by the place of the item.
 */
export function collectEffects(
  works: readonly ItemWork[],
  targets: ChannelTargets,
): { effects: Effects; left: Map<number, Leftover> } {
  const left = new Map<number, Leftover>();
  const effects: Effects = {
    reports: [],
    inbound: [],
    contacts: [],
    parents: [],
    preferences: [],
    channels: [],
    templates: [],
  };
  for (const [place, work] of works.entries()) {
    const leftover = collect(work, place, targets, effects);
    if (leftover !== undefined) left.set(place, leftover);
  }
  return { effects, left };
}

/** What the items name, for the look-up of their targets: a number by its own id, else the business account, as `targetsOf` does. */
export function namedIn(works: readonly ItemWork[]): NamedByProvider {
  return {
    phoneNumberIds: works.flatMap(({ item }) => item.phoneNumberId ?? []),
    businessAccountIds: works.flatMap(({ item }) =>
      item.phoneNumberId === undefined ? (item.businessAccountId ?? []) : [],
    ),
  };
}

function collect(
  { notificationId, origin, item }: ItemWork,
  place: number,
  targets: ChannelTargets,
  effects: Effects,
): Leftover | undefined {
  if (item.kind === 'undecodable') return 'undecodable';
  const claimedBy = targetsOf(item, origin, targets);
  const [target] = claimedBy;
  if (target === undefined) return 'no_channel';
  const receivedAt = new Date(idTimeMs(notificationId));
  switch (item.kind) {
    case 'status':
      effects.reports.push({
        place,
        mode: target.mode,
        report: reportOf(item, target, receivedAt),
        recipient: item.recipient,
      });
      return undefined;
    case 'inbound':
      effects.inbound.push(receivedOf(item, target, receivedAt));
      return undefined;
    case 'overheard':
      collectOverheard(item, target, receivedAt, effects);
      return undefined;
    case 'call':
      collectCall(item, target, receivedAt, effects);
      return undefined;
    case 'user_preference':
      collectPreference(item, claimedBy, receivedAt, effects);
      return undefined;
    case 'phone_number':
    case 'business_capability':
    case 'account_update':
      effects.channels.push({ origin, item, targets: claimedBy });
      return undefined;
    case 'template_status':
    case 'template_quality':
    case 'template_category':
    case 'template_components':
      effects.templates.push({ origin, item, targets: claimedBy });
      return undefined;
    // Kept with their notification and counted; nothing of what is stored today follows from them.
    case 'message_error':
    case 'echo':
    case 'history':
    case 'user_id_update':
    case 'business_username':
    case 'flow':
    case 'security':
    case 'other':
      return undefined;
  }
}

/** The channel of the number, the channel with the display number in the business account, or all of that account. */
function targetsOf(item: NotificationItem, origin: Mode, targets: ChannelTargets): ChannelTarget[] {
  if (item.phoneNumberId !== undefined) {
    const target = targets.byNumberId(item.phoneNumberId, origin);
    return target === undefined ? [] : [target];
  }
  if (item.businessAccountId === undefined) return [];
  const channels = targets.ofBusiness(item.businessAccountId, origin);
  if (item.displayPhoneNumber === undefined) return channels;
  return channels.filter(({ phone_number: number }) => number === item.displayPhoneNumber);
}

function reportOf(item: StatusItem, target: ChannelTarget, receivedAt: Date): StatusReport {
  return {
    accountId: target.account_id,
    channelId: target.id,
    formerChannelIds: formerIdsOf(target.account_id, target.former),
    providerMessageId: item.providerMessageId,
    messageId: parseId('msg', item.callbackData) ?? null,
    status: item.status,
    at: item.at ?? receivedAt,
    receivedAt,
    error: item.errors[0] ?? null,
    pricing: item.pricing ?? null,
    userId: item.recipient.userId ?? null,
  };
}

function receivedOf(item: InboundItem, target: ChannelTarget, receivedAt: Date): Received {
  return { message: inboundOf(item, target, receivedAt), ...heardOf(item, target, receivedAt) };
}

/** What is learned of the person, whoever answers the message. */
function heardOf(item: InboundItem | OverheardItem, target: ChannelTarget, receivedAt: Date) {
  const at = saidAt(item.at, receivedAt);
  return {
    contacts: opensWindow(item) ? contactsOf(item.from, target, at) : [],
    parents: parentsOf(item.from, target, at),
  };
}

function inboundOf(item: InboundItem, target: ChannelTarget, receivedAt: Date): InboundMessage {
  return {
    accountId: target.account_id,
    channelId: target.id,
    phoneNumberId: target.phone_number_id,
    formerChannels: target.former,
    mode: target.mode,
    id: newId(),
    providerMessageId: item.providerMessageId,
    type: item.type,
    phone: item.from.phone ?? null,
    userId: item.from.userId ?? null,
    content: item.content,
    profile: item.profile,
    replyToProviderMessageId: item.replyToProviderMessageId ?? null,
    at: item.at ?? receivedAt,
    receivedAt,
  };
}

/** What a person writes in a group is not written to us alone. */
function opensWindow({ type, groupId }: InboundItem | OverheardItem): boolean {
  return type !== NOT_WRITTEN_BY_A_PERSON && groupId === undefined;
}

/** It opens the window as every message does, but it is not told as one: whoever answered it would take the conversation over. */
function collectOverheard(
  item: OverheardItem,
  target: ChannelTarget,
  receivedAt: Date,
  { contacts, parents }: Effects,
): void {
  const heard = heardOf(item, target, receivedAt);
  contacts.push(...heard.contacts);
  parents.push(...heard.parents);
}

function collectCall(
  { talker, phoneNumberId, at }: ConversationItem,
  target: ChannelTarget,
  receivedAt: Date,
  { contacts, parents }: Effects,
): void {
  if (talker === undefined || phoneNumberId === undefined) return;
  const calledAt = saidAt(at, receivedAt);
  contacts.push(...contactsOf(talker, target, calledAt));
  parents.push(...parentsOf(talker, target, calledAt));
}

function collectPreference(
  item: UserPreferenceItem,
  claimedBy: readonly ChannelTarget[],
  receivedAt: Date,
  { preferences, parents }: Effects,
): void {
  if (item.category !== MARKETING || (item.value !== 'stop' && item.value !== 'resume')) return;
  const at = saidAt(item.at, receivedAt);
  for (const channel of claimedBy) {
    preferences.push(...preferencesOf(item, channel, receivedAt));
    parents.push(...parentsOf(item.person, channel, at));
  }
}
