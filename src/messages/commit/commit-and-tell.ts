import { appendEvents } from '../../events/store.ts';
import { newId } from '../../kernel/ids.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { limitLockWaits } from '../../store/lock-timeout.ts';
import type { MessageStatus, Outcome } from '../message.ts';
import { draftMessageEvents } from '../read/message-events.ts';
import { findReported, insertTimeline, lockMessages, type NewTimelineEntry } from '../report/apply-store.ts';
import { commitSends } from './commit-store.ts';
import { lockRequests } from './lock-store.ts';
import type { SettledMessage } from './settle-store.ts';
import type { Settlement } from './settlement.ts';
import { unpackSettled } from './unpack-settled.ts';

/** Commits outcomes with their events. In a transaction of its own, because it locks the counters of events until its commit. */
export async function commitAndTell(
  database: Database,
  items: readonly Settlement[],
  lockWaitMs: number,
): Promise<void> {
  const known = items.flatMap((item) => item.settled);
  const completed = items.flatMap((item) => item.completed ?? []);
  const late = new Set(items.filter(({ when }) => when === 'late').flatMap((item) => item.settled));
  await database.transaction(async (tx) => {
    await limitLockWaits(tx, lockWaitMs);
    const settled = await lockWhatIsThere(tx, known);
    if (settled.length === 0) return;
    // A notification may be writing the row of such a message at this moment. This waits for it: a message without a row cannot be
    // locked, and what the notification has told must not be told again.
    await unpackSettled(tx, settled);
    const before = await lockStatuses(tx, settled);
    // Before these outcomes were known, `unknown` was told: by this node, or by another one that took this one for gone.
    const belated = new Set(settled.filter((one) => late.has(one) || before.get(one.message.id) === 'unknown'));
    await commitSends(tx, { begun: [], settled, completed }, 'told');
    await noteLateAnswers(tx, [...belated], before);
    const eventful = settled.filter((one) => one.outcome.status === 'unknown' || belated.has(one));
    const told = eventful.filter((one) => isStep(before.get(one.message.id), one.outcome.status));
    const events = told.map(({ accountId, message, outcome: { status, error } }) => {
      return { accountId, messageId: message.id, status, error };
    });
    await appendEvents(tx, await draftMessageEvents(tx, events));
  });
}

/**
 * Leaves out what is gone: an outcome may have waited until its account was erased, and must not bring rows back. While a request is
 * locked here, the erasure waits for it, and then looks again.
 */
async function lockWhatIsThere(tx: Queryable, settled: readonly SettledMessage[]): Promise<SettledMessage[]> {
  const requests = await lockRequests(tx, settled);
  return settled.filter(({ requestId }) => requests.has(requestId));
}

/** The statuses that these messages have before this transaction changes them. A message without a row has none. */
async function lockStatuses(tx: Queryable, settled: readonly SettledMessage[]): Promise<Map<string, MessageStatus>> {
  const messages = settled.map(({ accountId, message }) => ({ accountId, id: message.id }));
  return new Map((await lockMessages(tx, messages)).map(({ id, status }) => [id, status]));
}

/**
 * The caller was told `unknown`, which stays the beginning of the message's history; the provider's late answer comes after
 * it. It is noted once, also when a commit in doubt is repeated, and not if a notification has said the same already.
 */
async function noteLateAnswers(
  tx: Queryable,
  late: readonly SettledMessage[],
  before: ReadonlyMap<string, MessageStatus>,
): Promise<void> {
  const answered = late.filter(({ outcome }) => outcome.status !== 'unknown');
  if (answered.length === 0) return;
  const messages = answered.map(({ accountId, message }) => ({ accountId, id: message.id }));
  const known = await findReported(tx, messages);
  const entries = answered
    .filter(({ message, outcome }) => known.get(message.id)?.includes(outcome.status) !== true)
    .map(({ accountId, message, outcome: { status, at, error } }): NewTimelineEntry => {
      const note = isStep(before.get(message.id), status) ? null : 'late';
      return { accountId, messageId: message.id, id: newId(), status, at, receivedAt: at, note, error };
    });
  await insertTimeline(tx, entries);
}

/** Whether an outcome is news: no notification was quicker, and it does not repeat a commit in doubt. */
function isStep(before: MessageStatus | undefined, outcome: Outcome['status']): boolean {
  if (before === undefined || before === 'pending' || before === 'transmitting') return true;
  return before === 'unknown' && outcome !== 'unknown';
}
