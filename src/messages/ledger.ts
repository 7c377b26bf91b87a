import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import { appendEvents } from '../events/store.ts';
import { StoreUnavailable } from '../kernel/store-unavailable.ts';
import { createBatcher } from '../store/batcher.ts';
import type { Database } from '../store/database.ts';
import { isPassingFailure } from '../store/passing-failure.ts';
import { unpackMessages } from './apply-store.ts';
import type { MessageStatus, Outcome } from './message.ts';
import { draftMessageEvents } from './message-events.ts';
import {
  beginRequests,
  type CompletedRequest,
  lockRequests,
  lockStatuses,
  type NewRequest,
  type SettledMessage,
  takeTurns,
  withdrawRequest,
  writeOutcomes,
} from './store.ts';

/** Enough to share a commit among all callers of a busy moment, few enough to keep each statement short. */
const REQUESTS_A_COMMIT_MAX = 100;
const TURNS_A_COMMIT_MAX = 500;
/** Two commits in flight keep the slowest callers three times quicker than one; more bring nothing. */
const COMMITS_MAX = 2;
const RETRY_PAUSE_MS = 250;
/** A store that takes this long to commit a request is in trouble, and its caller does better to come again. */
const BEGIN_WAIT_MS = 5_000;
/** Longer than the store lets any statement run: after it, what was in doubt can no longer be committed. */
const DOUBT_MS = 40_000;

/** What one send writes at its end: outcomes, and the completion of its request unless they came late. */
export interface Settlement {
  settled: SettledMessage[];
  completed: CompletedRequest | null;
}

/** The two commits of a send, shared with the sends of the same moment. */
export interface Ledger {
  /**
   * Commits the request before anything of it is transmitted. False: another request has claimed its idempotency key.
   * Throws `StoreUnavailable`; then nothing may be transmitted, and the request is taken back in case it was committed.
   */
  begin(request: NewRequest): Promise<boolean>;
  /**
   * Commits a waiting message as `transmitting`, if it still is `pending`. False: it must not be transmitted any more.
   */
  takeTurn(accountId: string, messageId: string): Promise<boolean>;
  /** Commits outcomes. Never gives up while the process lives: outcomes that are known must not be lost. */
  settle(settlement: Settlement): Promise<void>;
  /** Resolves when all that was handed over is committed. */
  idle(): Promise<void>;
}

/** `onEvents` is told after a commit that has recorded events. */
export function createLedger(database: Database, log: Logger, onEvents = () => {}): Ledger {
  const begins = createBatcher<NewRequest, boolean>({
    itemsMax: REQUESTS_A_COMMIT_MAX,
    flushesMax: COMMITS_MAX,
    flush: async (requests) => {
      const standing = await beginRequests(database, requests);
      return requests.map(({ id }) => standing.has(id));
    },
  });
  const settlements = createBatcher<Settlement, void>({
    itemsMax: REQUESTS_A_COMMIT_MAX,
    flushesMax: COMMITS_MAX,
    flush: async (items) => {
      if (await writeSettlements(database, items)) onEvents();
      return items.map(() => undefined);
    },
  });
  const turns = createBatcher<{ accountId: string; messageId: string }, boolean>({
    itemsMax: TURNS_A_COMMIT_MAX,
    flushesMax: COMMITS_MAX,
    flush: async (items) => {
      const taken = await takeTurns(database, items);
      return items.map(({ messageId }) => taken.has(messageId));
    },
  });
  const unfinished = new Set<Promise<void>>();

  function untilDone(work: () => Promise<void>): Promise<void> {
    const done = repeatWhilePassing(work, log);
    unfinished.add(done);
    const forget = () => unfinished.delete(done);
    done.then(forget, forget);
    return done;
  }

  /** A server that has lost us may go on with the commit after a first withdrawal, so there is a second one. */
  function takeBack(request: NewRequest, begun: Promise<boolean>): void {
    const withdraw = () => withdrawRequest(database, request);
    void untilDone(async () => {
      await Promise.allSettled([begun]);
      await withdraw();
    });
    setTimeout(() => void untilDone(withdraw), DOUBT_MS).unref();
  }

  return {
    async begin(request) {
      const begun = begins.add(request);
      try {
        return await within(begun, BEGIN_WAIT_MS);
      } catch (error) {
        if (error instanceof StoreUnavailable && error.commitInDoubt) takeBack(request, begun);
        throw error;
      }
    },
    takeTurn: (accountId, messageId) => turns.add({ accountId, messageId }),
    settle: (settlement) => untilDone(() => settlements.add(settlement)),
    async idle() {
      while (unfinished.size > 0) await Promise.allSettled(unfinished);
    },
  };
}

/**
 * One statement, and so one commit. Only what the answer did not tell is an event: an `unknown`, and what came late; that
 * takes a transaction of its own. Tells whether there was any.
 */
async function writeSettlements(database: Database, items: readonly Settlement[]): Promise<boolean> {
  const settled = items.flatMap((item) => item.settled);
  const completed = items.flatMap((item) => item.completed ?? []);
  const late = new Set(items.filter((item) => item.completed === null).flatMap((item) => item.settled));
  const eventful = settled.filter((one) => one.outcome.status === 'unknown' || late.has(one));
  if (eventful.length === 0) {
    await writeOutcomes(database, settled, completed);
    return false;
  }
  await database.transaction(async (tx) => {
    await lockRequests(tx, eventful);
    // A notification may be writing such a row in this moment. It is waited for, because what has no row
    // cannot be locked, and what it told must not be told again.
    await unpackMessages(
      tx,
      eventful.map(({ message, ...one }) => ({ ...one, messageId: message.id })),
    );
    const before = await lockStatuses(tx, eventful);
    await writeOutcomes(tx, settled, completed);
    const told = eventful.filter((one) => isStep(before.get(one.message.id), one.outcome.status));
    const events = told.map(({ accountId, message, outcome: { status, error } }) => {
      return { accountId, messageId: message.id, status, error };
    });
    await appendEvents(tx, await draftMessageEvents(tx, events));
  });
  return true;
}

/** Whether an outcome is news: no notification was quicker, and it is no repetition after a commit in doubt. */
function isStep(before: MessageStatus | undefined, outcome: Outcome['status']): boolean {
  if (before === undefined || before === 'pending' || before === 'transmitting') return true;
  return before === 'unknown' && outcome !== 'unknown';
}

/** Throws `StoreUnavailable`, in doubt, if the commit takes longer. */
async function within(begun: Promise<boolean>, limitMs: number): Promise<boolean> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(new StoreUnavailable(new Error(`No commit within ${limitMs} ms`), true));
  }, limitMs);
  try {
    return await Promise.race([begun, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

async function repeatWhilePassing(work: () => Promise<void>, log: Logger): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!isPassingFailure(error)) {
        log.fatal({ err: error }, 'outcomes.not_writable');
        throw error;
      }
      if (tries === 1) log.warn({ err: error }, 'outcomes.waiting_for_store');
      await wait(RETRY_PAUSE_MS);
    }
  }
}
