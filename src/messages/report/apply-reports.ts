import { idTimeMs, newId } from '../../kernel/ids.ts';
import { markMessages } from '../../statistics/mark.ts';
import type { Queryable } from '../../store/database.ts';
import type { MessageEvent } from '../read/message-events.ts';
import {
  changeMessages,
  findReported,
  insertTimeline,
  type LockedMessage,
  locateMessages,
  lockMessages,
  type MessageChange,
  type NewTimelineEntry,
  type StatusReport,
  unpackMessages,
} from './apply-store.ts';
import { judgeReport, type Verdict } from './status-machine.ts';

/** The statuses that prove that a message has reached the person. */
const DELIVERED = new Set<string>(['delivered', 'read']);

export interface AppliedReports {
  /** For each report whether its message is known; one that nobody knows yet has no effect, and the caller keeps it. */
  known: boolean[];
  /** What is to be recorded, in the order of the reports of each message. */
  events: MessageEvent[];
}

/** Applies the provider's reports in the order given, all in the caller's transaction. */
export async function applyReports(tx: Queryable, reports: readonly StatusReport[]): Promise<AppliedReports> {
  const ids = withToldBeside(reports, await locateByNumber(tx, reports));
  const matched = reports.flatMap((report, place) => {
    const id = ids[place];
    return id === undefined ? [] : [{ report, id }];
  });
  if (matched.length === 0) return { known: reports.map(() => false), events: [] };
  const { applied, events } = await applyMatched(tx, matched);
  return { known: reports.map((report) => applied.has(report)), events };
}

interface Matched {
  report: StatusReport;
  id: string;
}

/** A number that was removed and connected again has another channel now: what went out before is of a former one. */
async function locateByNumber(tx: Queryable, reports: readonly StatusReport[]): Promise<(string | undefined)[]> {
  const ids = await locateWithUnpacking(tx, reports);
  const former = reports.flatMap((report, place) =>
    ids[place] !== undefined
      ? []
      : report.formerChannelIds.map((channelId) => ({ place, report: { ...report, channelId } })),
  );
  if (former.length === 0) return ids;
  const found = await locateWithUnpacking(
    tx,
    former.map(({ report }) => report),
  );
  const byPlace = new Map(
    former.flatMap(({ place }, index) => (found[index] === undefined ? [] : [[place, found[index]]])),
  );
  return ids.map((id, place) => id ?? byPlace.get(place));
}

/**
 * A report found by our own id tells the provider's id of its message, by which others beside it are found that do not bring our id back,
 * as a failure need not. Had they come one after another, the store would know it by now.
 */
function withToldBeside(
  reports: readonly StatusReport[],
  ids: readonly (string | undefined)[],
): readonly (string | undefined)[] {
  if (!ids.includes(undefined)) return ids;
  const nameOf = ({ accountId, channelId, providerMessageId }: StatusReport) =>
    `${accountId} ${channelId} ${providerMessageId}`;
  const told = new Map(reports.map((report, place) => [nameOf(report), ids[place]] as const).filter(([, id]) => id));
  return reports.map((report, place) => ids[place] ?? told.get(nameOf(report)));
}

async function locateWithUnpacking(tx: Queryable, reports: readonly StatusReport[]): Promise<(string | undefined)[]> {
  const ids = await locateMessages(tx, reports);
  const early = reports.filter((report, place) => ids[place] === undefined && report.messageId !== null);
  if (early.length === 0) return ids;
  await unpackMessages(tx, early);
  return locateMessages(tx, reports);
}

/** Returns the reports that have taken effect, and what they are to be told of. */
async function applyMatched(
  tx: Queryable,
  matched: readonly Matched[],
): Promise<{ applied: Set<StatusReport>; events: MessageEvent[] }> {
  const byMessage = Map.groupBy(matched, ({ id }) => id);
  const wanted = [...byMessage].map(([id, group]) => ({ accountId: group[0]?.report.accountId ?? '', id }));
  const locked = await lockMessages(tx, wanted);
  const own = new Map(locked.map((message) => [message.id, ownReports(message, byMessage.get(message.id) ?? [])]));
  const doubtful = locked.filter((message) => needsHistory(message, own.get(message.id) ?? []));
  const reported =
    doubtful.length === 0
      ? new Map<string, string[]>()
      : await findReported(
          tx,
          doubtful.map(({ account_id: accountId, id }) => ({ accountId, id })),
        );
  const changes: MessageChange[] = [];
  const entries: NewTimelineEntry[] = [];
  const events: MessageEvent[] = [];
  for (const message of locked) {
    const judged = judgeAll(message, own.get(message.id) ?? [], reported.get(message.id) ?? []);
    entries.push(...judged.map(({ report, verdict }) => entryOf(message, report, verdict)));
    events.push(...judged.flatMap((one) => eventOf(message, one)));
    const change = changeOf(message, judged);
    if (change !== undefined) changes.push(change);
  }
  if (changes.length > 0) await changeMessages(tx, changes);
  // Any report proves that the provider had taken these after all, also one that is only noted and makes no event.
  const taken = locked.filter(isRefusedLate).map(({ account_id: accountId, id }) => ({ accountId, messageId: id }));
  if (taken.length > 0) await markMessages(tx, taken);
  await insertTimeline(tx, entries);
  return { applied: new Set([...own.values()].flat()), events };
}

/** Every step that a message takes is an event of its own; what is only noted is none. */
function eventOf(message: LockedMessage, { report, verdict }: Judged): MessageEvent[] {
  if (verdict.kind !== 'moves') return [];
  const error = verdict.to === 'failed' ? report.error : null;
  return [{ accountId: message.account_id, messageId: message.id, status: verdict.to, error }];
}

/**
 * A message has one id of the provider's, and the first that is reported is it. A report found by our own id alone that
 * names another one is not of this message, whether it comes in the same batch or was found before the row was locked.
 */
function ownReports(message: LockedMessage, group: readonly Matched[]): StatusReport[] {
  const reports = group.map(({ report }) => report);
  const providerMessageId = message.provider_message_id ?? reports[0]?.providerMessageId;
  return reports.filter((report) => report.providerMessageId === providerMessageId);
}

/** Reports that plainly move a message forward need no look into its history, and nearly all do. */
function needsHistory(message: LockedMessage, reports: readonly StatusReport[]): boolean {
  if (message.outcome === 'failed') return true;
  return judgeAll(message, reports, []).some(({ verdict }) => verdict.kind === 'noted');
}

interface Judged {
  report: StatusReport;
  verdict: Verdict;
}

function judgeAll(message: LockedMessage, reports: readonly StatusReport[], before: readonly string[]): Judged[] {
  const refusedLate = isRefusedLate(message);
  const outcome = refusedLate ? 'failed' : message.outcome;
  let { status } = message;
  // A failure that was reported holds against `sent`: one that stands in the history of what is `sent` is a refusal too.
  const isRefusal = refusedLate || status === 'sent';
  const reported = new Set(isRefusal ? before.filter((report) => report !== 'failed') : before);
  return reports.map((report) => {
    const verdict = judgeReport({ status, outcome, reported }, report.status);
    if (verdict.kind === 'moves') status = verdict.to;
    reported.add(report.status);
    return { report, verdict };
  });
}

/**
 * The provider's answer came after ours and refused the message. It stands in the history beside the reports and is none:
 * these always bring the provider's id. An erased message has lost that, so nobody knows any more which of the two failed it:
 * a failure that was reported must stay, and whoever was told of the refusal is none the worse.
 */
function isRefusedLate({ status, outcome, provider_message_id: providerMessageId, erased }: LockedMessage): boolean {
  return status === 'failed' && outcome === 'unknown' && providerMessageId === null && !erased;
}

function entryOf(message: LockedMessage, report: StatusReport, verdict: Verdict): NewTimelineEntry {
  return {
    accountId: message.account_id,
    messageId: message.id,
    id: newId(),
    status: report.status,
    at: report.at,
    receivedAt: report.receivedAt,
    note: verdict.kind === 'moves' ? null : verdict.note,
    error: report.error,
  };
}

/** The message after its reports; undefined if they brought nothing new. */
function changeOf(message: LockedMessage, judged: readonly Judged[]): MessageChange | undefined {
  const [first] = judged;
  const last = judged.findLast(({ verdict }) => verdict.kind === 'moves');
  const pricing = priceOf(message, judged);
  const userId = newUserIdOf(message, judged);
  if (first === undefined) return undefined;
  if (last === undefined && pricing === null && userId === null && message.provider_message_id !== null)
    return undefined;
  const status = last?.verdict.kind === 'moves' ? last.verdict.to : null;
  return {
    accountId: message.account_id,
    id: message.id,
    status,
    error: status === 'failed' ? (last?.report.error ?? null) : null,
    providerMessageId: first.report.providerMessageId,
    userId,
    pricing,
    toDeliveryMs: timeToDelivery(message.id, judged),
  };
}

/** `integer` in the store: 24 days, and no report is waited for so long. */
const TO_DELIVERY_MS_MAX = 2 ** 31 - 1;

/** From the making of the message to the first report that proves its delivery; null: none of these does. */
function timeToDelivery(id: string, judged: readonly Judged[]): number | null {
  const proofs = judged.filter(({ verdict }) => verdict.kind === 'moves' && DELIVERED.has(verdict.to));
  if (proofs.length === 0) return null;
  const firstMs = Math.min(...proofs.map(({ report }) => report.receivedAt.getTime()));
  // Two machines may have made the two times.
  return Math.min(TO_DELIVERY_MS_MAX, Math.max(0, firstMs - idTimeMs(id)));
}

/** The first user id that is reported is kept, whatever step tells it; null: these tell nothing new. */
function newUserIdOf({ user_known: isKnown, erased }: LockedMessage, judged: readonly Judged[]): string | null {
  if (isKnown || erased) return null;
  return judged.find(({ report }) => report.userId !== null)?.report.userId ?? null;
}

/** The price of the newest step. One that comes late only fills the gap where none is known, so the first of them does. */
function priceOf(message: LockedMessage, judged: readonly Judged[]): unknown {
  const priced = judged.filter(({ report }) => report.pricing !== null);
  const newest = priced.findLast(({ verdict }) => verdict.kind === 'moves');
  return (newest ?? (message.priced ? undefined : priced[0]))?.report.pricing ?? null;
}
