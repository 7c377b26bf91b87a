import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import { appendEvents } from '../../events/store.ts';
import { firstIdOfMs, idTimeMs, newId } from '../../kernel/ids.ts';
import { createInFlight } from '../../kernel/in-flight.ts';
import { LEASE_MS } from '../../kernel/lease.ts';
import { StoreUnavailable, storeTooSlow } from '../../kernel/store-unavailable.ts';
import { withinMs } from '../../kernel/within-ms.ts';
import { createBatcher } from '../../store/batcher.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { isPassingFailure } from '../../store/passing-failure.ts';
import { isUniqueViolation } from '../../store/unique-violation.ts';
import type { MessageStatus, Outcome } from '../message.ts';
import { draftMessageEvents } from '../read/message-events.ts';
import { findReported, insertTimeline, type NewTimelineEntry, unpackMessages } from '../report/apply-store.ts';
import type { NewRequest } from './begin-store.ts';
import { commitSends, type SendCommit } from './commit-store.ts';
import type { CompletedRequest, SettledMessage } from './settle-store.ts';
import { listBegun, lockRequests, lockStatuses, takeTurns, withdrawRequest, withdrawStray } from './store.ts';

/** Enough to share a commit among all callers of a busy moment, few enough to keep each statement short. */
const SENDS_A_COMMIT_MAX = 100;
const TURNS_A_COMMIT_MAX = 500;
/** A single send may have as much. What shares its commit waits for all of it: a hundred of them took seconds. */
const BYTES_A_COMMIT_MAX = 1 << 20;
/**
 * One commit at a time is the cheapest: what comes meanwhile shares the next one. Two small ones took a third more of the
 * database and an eighth more of this process for the same sends, so a second one goes beside it only when it is large.
 */
const COMMITS_MAX = 2;
const BESIDE_MIN = 24;
/** These commits are rare, so two at a time cost nothing. */
const OTHERS_MAX = 2;
const RETRY_PAUSE_MS = 250;
/** A refusal that does not pass by itself, such as a lost grant, is for an operator to mend; the outcomes are known nonetheless. */
const REFUSED_PAUSE_MS = 5_000;
/** With so many of them nothing more is begun: what cannot be stored must not go out. A few may be a fault in these alone. */
const REFUSED_MAX = 100;
const tooManyRefused = storeTooSlow('The outcomes of other sends cannot be stored', false);
/** A store that takes this long to commit a request is in trouble, and its caller does better to come again. */
const BEGIN_WAIT_MS = 5_000;
const tooLong = storeTooSlow('No commit in time', true);
/** Sends are rarely under way for so long, so that few have to be told from strays. */
const STRAY_MS = 30_000;
export const STRAYS_EVERY_MS = 15_000;

/** Outcomes of one send's messages. */
export interface Settlement {
  /**
   * `meanwhile`: others of the request are still under way; `end`: these are the last ones, and complete it; `late`: the
   * answer said `unknown`.
   */
  when: 'meanwhile' | 'end' | 'late';
  settled: SettledMessage[];
  /** At the `end` only. */
  completed: CompletedRequest | null;
  /** Of the body that the messages' own contents came in; 0 where they have none. */
  bytes: number;
}

/** The two commits of a send, shared with the sends of the same moment. */
export interface Ledger {
  /**
   * Commits the request before anything of it is transmitted. False: another request has claimed its idempotency key.
   * Throws `StoreUnavailable`, after `leftMs` at the latest; then nothing may be transmitted, and the request is taken back in
   * case it was committed.
   */
  begin(request: NewRequest, leftMs?: number): Promise<boolean>;
  /**
   * Commits a waiting message as `transmitting`, if it still is `pending`. False: it must not be transmitted any more.
   */
  takeTurn(accountId: string, messageId: string): Promise<boolean>;
  /** Commits outcomes. It never gives up while the process lives: known outcomes must not be lost. */
  settle(settlement: Settlement): Promise<void>;
  /**
   * Takes back requests of this node that run in the store and nowhere else, and returns how many: bytes that the network
   * held up begin a request also after it was taken back, and nobody would ever end it.
   */
  withdrawStrays(nodeId: string): Promise<number>;
  /** For the stop: resolves when all that was handed over is committed, or is refused for a reason that does not pass. */
  idle(): Promise<void>;
}

/** What shares a commit: beginnings and ends of sends, ends that are told in events, turns. */
type OnCommit = (what: 'sends' | 'tellings' | 'turns', items: number) => void;

/** `onEvents` is called after a commit that recorded events, `onCommit` before each commit, with the number of its items. */
export function createLedger(database: Database, log: Logger, onEvents = () => {}, onCommit?: OnCommit): Ledger {
  const { commits, tellings, turns } = createCommits(database, onEvents, onCommit);
  const unfinished = createInFlight();
  const refused: Refused = { waiting: 0, stopping: false };
  /** Requests from before their first commit until after their last one. */
  const running = new Set<string>();

  function untilDone(work: () => Promise<void>, ifRefused: IfRefused): Promise<void> {
    return unfinished.add(repeatUntilDone(work, ifRefused, refused, log));
  }

  function takeBack(request: NewRequest, begun: Promise<boolean>): void {
    const withdraw = () => database.transaction((tx) => withdrawRequest(tx, request));
    const forget = () => running.delete(request.id);
    untilDone(() => Promise.allSettled([begun]).then(withdraw), 'throw').then(forget, forget);
  }

  return {
    async begin(request, leftMs = BEGIN_WAIT_MS) {
      if (refused.waiting >= REFUSED_MAX) tooManyRefused();
      running.add(request.id);
      const item: Begin = { kind: 'begin', request, handed: false };
      const begun = commits.add(item);
      try {
        const stands = await withinMs(begun, Math.min(BEGIN_WAIT_MS, leftMs), tooLong);
        if (!stands) running.delete(request.id);
        return stands;
      } catch (error) {
        if (error instanceof StoreUnavailable && error.commitInDoubt && item.handed) {
          takeBack(request, begun);
        } else {
          // While the store hangs these would pile up, and then be committed and taken back before anybody else's.
          item.request = null;
          running.delete(request.id);
        }
        throw error;
      }
    },
    takeTurn: (accountId, messageId) => turns.add({ accountId, messageId }),
    settle: (settlement) =>
      untilDone(
        async () => {
          if (isEventful(settlement) || isOld(settlement)) await tellings.add(settlement);
          else await commits.add({ kind: 'settle', settlement });
          if (settlement.completed !== null) running.delete(settlement.completed.id);
        },
        // What is refused meanwhile is committed once more at the end.
        settlement.when === 'meanwhile' ? 'throw' : 'go_on',
      ),
    async withdrawStrays(nodeId) {
      const begunBefore = firstIdOfMs(Date.now() - STRAY_MS);
      const strays = (await listBegun(database, nodeId, begunBefore)).filter(({ id }) => !running.has(id));
      for (const stray of strays) await database.transaction((tx) => withdrawStray(tx, stray));
      return strays.length;
    },
    idle: () => {
      refused.stopping = true;
      return unfinished.idle();
    },
  };
}

function createCommits(database: Database, onEvents: () => void, onCommit?: OnCommit) {
  const commits = createBatcher<Begin | Settle, boolean>({
    itemsMax: SENDS_A_COMMIT_MAX,
    weightMax: BYTES_A_COMMIT_MAX,
    weightOf: (item) => (item.kind === 'begin' ? (item.request?.bytes ?? 0) : item.settlement.bytes),
    flushesMax: COMMITS_MAX,
    besideMin: BESIDE_MIN,
    flush: (items) => {
      onCommit?.('sends', items.length);
      return commitTogether(database, items);
    },
  });
  const tellings = createBatcher<Settlement, void>({
    itemsMax: SENDS_A_COMMIT_MAX,
    weightMax: BYTES_A_COMMIT_MAX,
    weightOf: ({ bytes }) => bytes,
    flushesMax: OTHERS_MAX,
    flush: async (items) => {
      onCommit?.('tellings', items.length);
      await commitAndTell(database, items);
      onEvents();
      return items.map(() => undefined);
    },
  });
  const turns = createBatcher<{ accountId: string; messageId: string }, boolean>({
    itemsMax: TURNS_A_COMMIT_MAX,
    flushesMax: OTHERS_MAX,
    flush: async (items) => {
      onCommit?.('turns', items.length);
      const taken = await takeTurns(database, items);
      return items.map(({ messageId }) => taken.has(messageId));
    },
  });
  return { commits, tellings, turns };
}

interface Begin {
  kind: 'begin';
  /** null: its caller was answered before it was handed to the store. */
  request: NewRequest | null;
  handed: boolean;
}
type Settle = { kind: 'settle'; settlement: Settlement };

/** Some requests begin while others end: one statement, and so one commit, carries both. */
async function commitTogether(database: Database, items: readonly (Begin | Settle)[]): Promise<boolean[]> {
  const begun = items.flatMap((item) => (item.kind === 'begin' ? (handOver(item) ?? []) : []));
  const settlements = items.flatMap((item) => (item.kind === 'settle' ? [item.settlement] : []));
  if (begun.length === 0 && settlements.length === 0) return items.map(() => false);
  const refused = await commitOnce(database, {
    begun,
    settled: settlements.flatMap(({ settled }) => settled),
    completed: settlements.flatMap(({ completed }) => completed ?? []),
  });
  return items.map((item) => item.kind === 'settle' || (item.request !== null && !refused.has(item.request.id)));
}

function handOver(item: Begin): NewRequest | null {
  item.handed = true;
  return item.request;
}

/** Outcomes are nearly always the first news of their messages, and inserting them as new rows is much cheaper. */
async function commitOnce(database: Database, commit: SendCommit): Promise<Set<string>> {
  if (commit.settled.some(({ message }) => message.status === 'pending')) return commitSends(database, commit, 'any');
  try {
    return await commitSends(database, commit, 'new');
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    return commitSends(database, commit, 'any');
  }
}

/** Only what the answer did not say is an event: an `unknown`, and what came late. */
function isEventful({ when, settled }: Settlement): boolean {
  return settled.length > 0 && (when === 'late' || settled.some(({ outcome }) => outcome.status === 'unknown'));
}

/**
 * An outcome may have waited until its account was erased, and must not bring its rows back. While a request is locked here,
 * the erasure waits for it, and then looks again.
 */
async function lockWhatIsThere(tx: Queryable, settled: readonly SettledMessage[]): Promise<SettledMessage[]> {
  const requests = await lockRequests(tx, settled);
  return settled.filter(({ requestId }) => requests.has(requestId));
}

/**
 * What is younger cannot have been settled by others, nor can its account have been erased. By the time of day, which goes on
 * while a machine sleeps.
 */
function isOld({ settled: [first] }: Settlement): boolean {
  return first !== undefined && Date.now() - idTimeMs(first.requestId) > LEASE_MS;
}

/** The outcomes and their events, in a transaction of their own, because the numbers of events are locked in it. */
async function commitAndTell(database: Database, items: readonly Settlement[]): Promise<void> {
  const known = items.flatMap((item) => item.settled);
  const completed = items.flatMap((item) => item.completed ?? []);
  const late = new Set(items.filter(({ when }) => when === 'late').flatMap((item) => item.settled));
  await database.transaction(async (tx) => {
    const settled = await lockWhatIsThere(tx, known);
    if (settled.length === 0) return;
    // A notification may be writing such a row at this moment. It is waited for: what has no row cannot be locked, and
    // what it told must not be told again.
    await unpackMessages(
      tx,
      settled.map(({ message, ...one }) => ({ ...one, messageId: message.id })),
    );
    const before = await lockStatuses(tx, settled);
    // By this node, or by another one that took this one for gone, `unknown` was told before these were known.
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

/** What becomes of work that the database refuses for a reason that does not pass by itself. */
type IfRefused = 'throw' | 'go_on';

/** Work that goes on being refused. */
interface Refused {
  waiting: number;
  /** Then it is left to whoever recovers what this node leaves. */
  stopping: boolean;
}

async function repeatUntilDone(
  work: () => Promise<void>,
  ifRefused: IfRefused,
  refused: Refused,
  log: Logger,
): Promise<void> {
  let isRefused = false;
  try {
    for (let tries = 1; ; tries++) {
      try {
        return await work();
      } catch (error) {
        const passing = isPassingFailure(error);
        if (passing && tries === 1) log.warn({ err: error }, 'outcomes.waiting_for_store');
        if (!passing && !isRefused) {
          isRefused = true;
          refused.waiting += 1;
          log.fatal({ err: error }, 'outcomes.not_writable');
        }
        if (!passing && (ifRefused === 'throw' || refused.stopping)) throw error;
        await wait(passing ? RETRY_PAUSE_MS : REFUSED_PAUSE_MS);
      }
    }
  } finally {
    if (isRefused) refused.waiting -= 1;
  }
}
