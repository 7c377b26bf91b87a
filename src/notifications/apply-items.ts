import { type ChannelTarget, formerIdsOf } from '../channels/store.ts';
import { type ChannelTargets, findChannelTargets, type NamedByProvider } from '../channels/targets.ts';
import { appendEvents } from '../events/store.ts';
import { idTimeMs, newId, parseId } from '../kernel/ids.ts';
import type { Mode } from '../kernel/principal.ts';
import { draftMessageEvents, type MessageEvent } from '../messages/read/message-events.ts';
import { applyReports } from '../messages/report/apply-reports.ts';
import type { StatusReport } from '../messages/report/apply-store.ts';
import { type InboundMessage, insertInbound } from '../messages/report/inbound-store.ts';
import { keepParents, type ParentUserId } from '../people/parent-store.ts';
import { type Contact, extendWindows, findWindows, keepPreferences, type Preference } from '../people/store.ts';
import { describeClosedWindow } from '../people/window.ts';
import type {
  InboundItem,
  NotificationItem,
  Person,
  StatusItem,
  UserPreferenceItem,
} from '../provider/notification.ts';
import type { Queryable, Transaction } from '../store/database.ts';
import { applyChannelItem, type ChannelItem } from './apply-channels.ts';
import { applyTemplateItem, type TemplateItem } from './apply-templates.ts';
import { type News, takeFreshNews } from './fresh-news.ts';
import type { Leftover } from './reason.ts';

/** One item of one notification on its way to its effect. */
export interface ItemWork {
  notificationId: string;
  origin: Mode;
  item: NotificationItem;
}

/** A message, and whose windows it opens if it was not received before. */
interface Received {
  message: InboundMessage;
  contacts: Contact[];
  parents: ParentUserId[];
}

interface PlacedReport {
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
 * Applies items in the caller's transaction, in their order. Returns what is left of them, by their place. What happens to messages
 * before `keptFromId` is written down, and told to nobody.
 */
export async function applyItems(
  tx: Transaction,
  works: readonly ItemWork[],
  keptFromId: string,
): Promise<Map<number, Leftover>> {
  const left = new Map<number, Leftover>();
  const targets = await findChannelTargets(tx, namedIn(works));
  const effects: Effects = {
    ...{ reports: [], inbound: [], contacts: [], parents: [], preferences: [], channels: [], templates: [] },
  };
  for (const [place, work] of works.entries()) {
    const leftover = collect(work, place, targets, effects);
    if (leftover !== undefined) left.set(place, leftover);
  }
  const events: MessageEvent[] = [];
  await noteClosedWindows(tx, effects.reports);
  if (effects.reports.length > 0) {
    const { known, events: moved } = await applyReports(
      tx,
      effects.reports.map(({ report }) => report),
    );
    // What is gone for its readers, though its week is not dropped yet, must not be told again, with its number and reference.
    events.push(...moved.filter(({ messageId }) => messageId >= keptFromId));
    effects.reports.forEach(({ place }, index) => {
      if (known[index] !== true) left.set(place, 'unknown_message');
    });
  }
  // After the reports, which may have told the provider's id of a message that one of these answers.
  const received = await recordInbound(tx, effects.inbound);
  events.push(...received.map(({ message }) => eventOf(message)));
  const contacts = [...effects.contacts, ...received.flatMap((one) => one.contacts)];
  if (contacts.length > 0) await extendWindows(tx, contacts);
  const parents = [...effects.parents, ...received.flatMap((one) => one.parents)];
  if (parents.length > 0) await keepParents(tx, parents);
  if (effects.preferences.length > 0) await keepPreferences(tx, effects.preferences);
  const drafts = await draftMessageEvents(tx, events);
  for (const news of await takeFreshNews(tx, effects.channels))
    drafts.push(...(await applyChannelItem(tx, news.item, news.targets)));
  for (const news of await takeFreshNews(tx, effects.templates))
    drafts.push(...(await applyTemplateItem(tx, news.item, news.targets)));
  await appendEvents(tx, drafts);
  return left;
}

/** Returns those that are new: a repetition has no effect, whoever has the number by now. */
async function recordInbound(tx: Queryable, inbound: readonly Received[]): Promise<Received[]> {
  if (inbound.length === 0) return [];
  const fresh = await insertInbound(
    tx,
    inbound.map(({ message }) => message),
  );
  return inbound.filter(({ message }) => fresh.has(message.id));
}

function eventOf({ accountId, id }: InboundMessage): MessageEvent {
  return { accountId, messageId: id, status: 'received', error: null };
}

/** A number is named by its own id, else the business account is; `targetsOf` goes by the same. */
function namedIn(works: readonly ItemWork[]): NamedByProvider {
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
        ...{ place, mode: target.mode, recipient: item.recipient },
        report: reportOf(item, target, receivedAt),
      });
      return undefined;
    case 'inbound':
      effects.inbound.push({
        message: inboundOf(item, target, receivedAt),
        contacts: opensWindow(item) ? contactsOf(item.from, target, saidAt(item.at, receivedAt)) : [],
        parents: parentsOf(item.from, target, saidAt(item.at, receivedAt)),
      });
      return undefined;
    case 'call':
      if (item.caller === undefined || item.phoneNumberId === undefined) return undefined;
      effects.contacts.push(...contactsOf(item.caller, target, saidAt(item.at, receivedAt)));
      effects.parents.push(...parentsOf(item.caller, target, saidAt(item.at, receivedAt)));
      return undefined;
    case 'user_preference':
      if (item.category !== MARKETING || (item.value !== 'stop' && item.value !== 'resume')) return undefined;
      effects.preferences.push(...claimedBy.flatMap((channel) => preferencesOf(item, channel, receivedAt)));
      effects.parents.push(
        ...claimedBy.flatMap((channel) => parentsOf(item.person, channel, saidAt(item.at, receivedAt))),
      );
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

/** Writes into every report of a failure because of a closed window what we know of that window, so that a person sees why. */
async function noteClosedWindows(tx: Queryable, reports: readonly PlacedReport[]): Promise<void> {
  const closed = reports.flatMap(({ report, mode, recipient }) => {
    const { error } = report;
    return error?.code === 'window_closed' ? [{ report, mode, error, people: identities(recipient) }] : [];
  });
  for (const [channelId, ofChannel] of Map.groupBy(closed, ({ report }) => report.channelId)) {
    const [first] = ofChannel;
    if (first === undefined) continue;
    const everybody = ofChannel.flatMap(({ people }) => people);
    const owner = { accountId: first.report.accountId, mode: first.mode, channelId };
    const windows = await findWindows(tx, owner, everybody);
    for (const { report, error, people } of ofChannel) {
      const times = people.flatMap((person) => windows.get(person) ?? []);
      const [lastAt] = times.sort((a, b) => b.getTime() - a.getTime());
      report.error = { ...error, detail: describeClosedWindow(lastAt) };
    }
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
    messageId: parseId('msg', item.callbackData ?? '') ?? null,
    status: item.status,
    at: item.at ?? receivedAt,
    receivedAt,
    error: item.errors[0] ?? null,
    pricing: item.pricing ?? null,
    userId: item.recipient.userId ?? null,
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
    replyToProviderMessageId: item.replyToProviderMessageId ?? null,
    at: item.at ?? receivedAt,
    receivedAt,
  };
}

/** What a person writes in a group is not written to us alone. */
function opensWindow({ type, groupId }: InboundItem): boolean {
  return type !== NOT_WRITTEN_BY_A_PERSON && groupId === undefined;
}

function contactsOf(person: Person, target: ChannelTarget, at: Date): Contact[] {
  const { account_id: accountId, id: channelId } = target;
  return identities(person).map((identity) => ({ accountId, channelId, person: identity, at }));
}

function preferencesOf(
  { person, value, at }: UserPreferenceItem,
  target: ChannelTarget,
  receivedAt: Date,
): Preference[] {
  const { account_id: accountId, mode, business_account_id: businessAccountId } = target;
  const word = { accountId, mode, businessAccountId, stopped: value === 'stop' };
  const when = { at: saidAt(at, receivedAt), timed: at !== undefined };
  const { phone, userId } = person;
  return identities(person).map((identity) => ({
    ...word,
    ...when,
    person: identity,
    other: otherOf(identity, phone, userId),
  }));
}

/** A parent user id has none, and is nobody's: that of a number is the user id, which an earlier word may have told. */
function otherOf(identity: string, phone: string | undefined, userId: string | undefined): string | null {
  if (identity === phone) return userId ?? null;
  return identity === userId ? (phone ?? null) : null;
}

/**
 * When a person wrote, called, stopped or resumed: never after we were told of it, whatever the provider says. A time far
 * ahead would keep a window open until then, and no later word could take a stop back. The provider tells whole seconds, so
 * ours are cut to them: a word of the same second must not count as earlier.
 */
function saidAt(at: Date | undefined, receivedAt: Date): Date {
  if (at !== undefined && at <= receivedAt) return at;
  return new Date(Math.floor(receivedAt.getTime() / 1_000) * 1_000);
}

/**
 * A person is looked up by number or by user id, so what is known is kept under both. Who is looked up by the parent user id is
 * looked up by the user ids that it stands for, so that it need not be kept a third time and the two stay a pair. Only where
 * the provider names the person by nothing better it stands in the place of the user id.
 */
function identities({ phone, userId, parentUserId }: Person): string[] {
  return [phone, userId ?? parentUserId].filter((identity) => identity !== undefined);
}

function parentsOf({ userId, parentUserId }: Person, target: ChannelTarget, at: Date): ParentUserId[] {
  if (userId === undefined || parentUserId === undefined) return [];
  return [{ accountId: target.account_id, mode: target.mode, parentUserId, userId, at }];
}
