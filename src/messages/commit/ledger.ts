import type { Logger } from 'pino';
import { idTimeMs } from '../../kernel/ids.ts';
import { LEASE_MS } from '../../kernel/lease.ts';
import { StoreUnavailable, storeTooSlow } from '../../kernel/store-unavailable.ts';
import { withinMs } from '../../kernel/within-ms.ts';
import type { Database } from '../../store/database.ts';
import type { NewRequest } from './begin-store.ts';
import type { Settlement } from './settlement.ts';
import { type Begin, createSharedCommits, type OnCommit } from './shared-commits.ts';
import { createUnfinishedWork } from './unfinished-work.ts';
import { withdrawRequest } from './withdraw-store.ts';

/** With so many refused commits waiting nothing more is begun: what cannot be stored must not go out. A few may be at fault themselves. */
const REFUSED_MAX = 100;
const tooManyRefused = storeTooSlow('The outcomes of other sends cannot be stored', false);
/** A store that takes this long to commit a request is in trouble, and its caller does better to come again. */
const BEGIN_WAIT_MS = 5_000;
const tooLong = storeTooSlow('No commit in time', true);
/** Whoever was taken back longer ago is not told from one whose outcome the store has lost. */
const TAKEN_BACK_MAX = 10_000;

/**
 * What the ledger knows of a request: it is under way, or it was taken back because its caller was refused; `over` is all else.
 */
export type Standing = 'running' | 'taken_back' | 'over';

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
  /** Where a request stands that this ledger has begun. */
  standingOf(requestId: string): Standing;
  /** For the stop: resolves when all that was handed over is committed, or is refused for a reason that does not pass. */
  idle(): Promise<void>;
}

/** `onEvents` is called after a commit that recorded events, `onCommit` before each commit, with the number of its items. */
export function createLedger(database: Database, log: Logger, onEvents = () => {}, onCommit?: OnCommit): Ledger {
  const commits = createSharedCommits(database, onEvents, onCommit);
  const unfinished = createUnfinishedWork(log);
  /** Requests from before their first commit until after their last one. */
  const running = new Set<string>();
  const takenBack = new Set<string>();

  function takeBack(request: NewRequest, begun: Promise<boolean>): void {
    takenBack.add(request.id);
    const [oldest = ''] = takenBack;
    if (takenBack.size > TAKEN_BACK_MAX) takenBack.delete(oldest);
    const withdraw = () => database.transaction((tx) => withdrawRequest(tx, request));
    const forget = () => running.delete(request.id);
    unfinished.untilDone(() => Promise.allSettled([begun]).then(withdraw), 'throw').then(forget, forget);
  }

  /** What has failed once is not put among those that begin: a lock that it waits for would keep them from it, try after try. */
  async function commit(settlement: Settlement, isFirstTry: boolean): Promise<void> {
    const add = () => (isFirstTry ? commits.sends.add({ kind: 'settle', settlement }) : commits.again.add(settlement));
    const isPlain = !isEventful(settlement) && !isOld(settlement);
    if (!isPlain || !(await add())) await commits.tellings.add(settlement);
    if (settlement.completed !== null) running.delete(settlement.completed.id);
  }

  return {
    async begin(request, leftMs = BEGIN_WAIT_MS) {
      if (unfinished.refused >= REFUSED_MAX) tooManyRefused();
      running.add(request.id);
      const item: Begin = { kind: 'begin', request, handed: false };
      const begun = commits.sends.add(item);
      try {
        const stands = await withinMs(begun, Math.min(BEGIN_WAIT_MS, leftMs), tooLong);
        if (!stands) running.delete(request.id);
        return stands;
      } catch (error) {
        if (error instanceof StoreUnavailable && error.commitInDoubt && item.handed) {
          takeBack(request, begun);
        } else {
          // Dropped: while the store hangs such requests would pile up, to be committed and taken back before anybody else's.
          item.request = null;
          running.delete(request.id);
        }
        throw error;
      }
    },
    takeTurn: (accountId, messageId) => commits.turns.add({ accountId, messageId }),
    // What is refused meanwhile is committed once more at the end.
    settle(settlement) {
      let tries = 0;
      const ifRefused = settlement.when === 'meanwhile' ? 'throw' : 'go_on';
      return unfinished.untilDone(() => commit(settlement, tries++ === 0), ifRefused);
    },
    standingOf: (requestId) => (running.has(requestId) ? 'running' : takenBack.has(requestId) ? 'taken_back' : 'over'),
    idle: unfinished.idle,
  };
}

/** Only what the answer did not say is an event: an `unknown`, and what came late. */
function isEventful({ when, settled }: Settlement): boolean {
  return settled.length > 0 && (when === 'late' || settled.some(({ outcome }) => outcome.status === 'unknown'));
}

/**
 * Whether others may have settled it, or its account may have been erased: a younger request is safe from both. It goes by the time of
 * day, which goes on while a machine sleeps. On a virtual machine that time may stand still too; then the rows show what others have
 * settled.
 */
function isOld({ settled: [first] }: Settlement): boolean {
  return first !== undefined && Date.now() - idTimeMs(first.requestId) > LEASE_MS;
}
