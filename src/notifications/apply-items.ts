import { findChannelTargets } from '../channels/targets.ts';
import { appendEvents } from '../events/store.ts';
import { firstIdOfMs } from '../kernel/ids.ts';
import { draftMessageEvents, type MessageEvent } from '../messages/read/message-events.ts';
import { applyReports } from '../messages/report/apply-reports.ts';
import { type InboundMessage, insertInbound } from '../messages/report/inbound-store.ts';
import { keepParents } from '../people/parent-store.ts';
import { keepPreferences } from '../people/preference-store.ts';
import { describeClosedWindow } from '../people/window.ts';
import { extendWindows, findWindows } from '../people/window-store.ts';
import type { Queryable, Transaction } from '../store/database.ts';
import { applyNewsOfChannels } from './apply-channels.ts';
import { applyNewsOfTemplates } from './apply-templates.ts';
import { collectEffects, type ItemWork, namedIn, type PlacedReport, type Received } from './collect-effects.ts';
import { takeFreshNews } from './fresh-news.ts';
import { identities } from './identities.ts';
import type { Leftover } from './reason.ts';
import { readDatabaseMs } from './store.ts';

/**
 * Applies items in the caller's transaction, in their order. Returns what is left of them, by their place. What happens to messages
 * before `messagesFromMs` is written down, and told to nobody.
 */
export async function applyItems(
  tx: Transaction,
  works: readonly ItemWork[],
  messagesFromMs: (databaseMs: number) => number,
): Promise<Map<number, Leftover>> {
  const targets = await findChannelTargets(tx, namedIn(works));
  const { effects, left } = collectEffects(works, targets);
  const events: MessageEvent[] = [];
  await noteClosedWindows(tx, effects.reports);
  if (effects.reports.length > 0) {
    const { known, events: moved } = await applyReports(
      tx,
      effects.reports.map(({ report }) => report),
    );
    events.push(...(await withoutPast(tx, moved, messagesFromMs)));
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
  drafts.push(...(await applyNewsOfChannels(tx, await takeFreshNews(tx, effects.channels))));
  drafts.push(...(await applyNewsOfTemplates(tx, await takeFreshNews(tx, effects.templates))));
  await appendEvents(tx, drafts);
  return left;
}

/**
 * A message that nobody may read any more, though its week is not dropped yet, must not be told of again, with its number. What is not told
 * now never is. So two clocks must agree, and the database's is asked where ours finds a message past its time, which is rare.
 */
async function withoutPast(
  tx: Queryable,
  events: readonly MessageEvent[],
  messagesFromMs: (databaseMs: number) => number,
): Promise<readonly MessageEvent[]> {
  const from = (fromMs: number) => events.filter(({ messageId }) => messageId >= firstIdOfMs(fromMs));
  const byOurClock = from(messagesFromMs(Number.POSITIVE_INFINITY));
  return byOurClock.length === events.length ? events : from(messagesFromMs(await readDatabaseMs(tx)));
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
