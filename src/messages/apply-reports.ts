import { newId } from '../kernel/ids.ts';
import type { Queryable } from '../store/database.ts';
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

/**
 * Applies the provider's reports in the order given, all in the caller's transaction. Tells for each whether its message
 * is known: a report of a message that nobody knows yet has no effect, and the caller keeps it.
 */
export async function applyReports(tx: Queryable, reports: readonly StatusReport[]): Promise<boolean[]> {
  const ids = await locateWithUnpacking(tx, reports);
  const matched = reports.flatMap((report, place) => {
    const id = ids[place];
    return id === undefined ? [] : [{ report, id }];
  });
  if (matched.length > 0) await applyMatched(tx, matched);
  return ids.map((id) => id !== undefined);
}

interface Matched {
  report: StatusReport;
  id: string;
}

async function locateWithUnpacking(tx: Queryable, reports: readonly StatusReport[]): Promise<(string | undefined)[]> {
  const ids = await locateMessages(tx, reports);
  const early = reports.filter((report, place) => ids[place] === undefined && report.messageId !== null);
  if (early.length === 0) return ids;
  await unpackMessages(tx, early);
  return locateMessages(tx, reports);
}

async function applyMatched(tx: Queryable, matched: readonly Matched[]): Promise<void> {
  const byMessage = Map.groupBy(matched, ({ id }) => id);
  const wanted = [...byMessage].map(([id, group]) => ({ accountId: group[0]?.report.accountId ?? '', id }));
  const locked = await lockMessages(tx, wanted);
  const doubtful = locked.filter((message) => needsHistory(message, byMessage.get(message.id) ?? []));
  const reported =
    doubtful.length === 0
      ? new Map<string, string[]>()
      : await findReported(
          tx,
          doubtful.map(({ account_id: accountId, id }) => ({ accountId, id })),
        );
  const changes: MessageChange[] = [];
  const entries: NewTimelineEntry[] = [];
  for (const message of locked) {
    const judged = judgeAll(message, byMessage.get(message.id) ?? [], reported.get(message.id) ?? []);
    entries.push(...judged.map(({ report, verdict }) => entryOf(message, report, verdict)));
    const change = changeOf(message, judged);
    if (change !== undefined) changes.push(change);
  }
  if (changes.length > 0) await changeMessages(tx, changes);
  await insertTimeline(tx, entries);
}

/** Reports that plainly move a message forward need no look into its history, and nearly all do. */
function needsHistory(message: LockedMessage, group: readonly Matched[]): boolean {
  if (message.outcome === 'failed') return true;
  return judgeAll(message, group, []).some(({ verdict }) => verdict.kind === 'noted');
}

interface Judged {
  report: StatusReport;
  verdict: Verdict;
}

function judgeAll(message: LockedMessage, group: readonly Matched[], before: readonly string[]): Judged[] {
  const reported = new Set(before);
  let { status } = message;
  return group.map(({ report }) => {
    const verdict = judgeReport({ status, outcome: message.outcome, reported }, report.status);
    if (verdict.kind === 'moves') status = verdict.to;
    reported.add(report.status);
    return { report, verdict };
  });
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

/** The message after its reports; undefined if none moved it and none brought a price. */
function changeOf(message: LockedMessage, judged: readonly Judged[]): MessageChange | undefined {
  const last = judged.findLast(({ verdict }) => verdict.kind === 'moves');
  const priced = judged.findLast(({ report }) => report.pricing !== null);
  const { report } = last ?? priced ?? {};
  if (report === undefined) return undefined;
  const status = last?.verdict.kind === 'moves' ? last.verdict.to : null;
  return {
    accountId: message.account_id,
    id: message.id,
    status,
    error: status === 'failed' ? report.error : null,
    providerMessageId: report.providerMessageId,
    userId: report.userId,
    pricing: priced?.report.pricing ?? null,
  };
}
