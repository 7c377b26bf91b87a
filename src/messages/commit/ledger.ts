import type { Logger } from 'pino';
import { firstIdOfMs, idTimeMs } from '../../kernel/ids.ts';
import { createInFlight } from '../../kernel/in-flight.ts';
import { LEASE_MS } from '../../kernel/lease.ts';
import { StoreUnavailable, storeTooSlow } from '../../kernel/store-unavailable.ts';
import { withinMs } from '../../kernel/within-ms.ts';
import { createBatcher } from '../../store/batcher.ts';
import type { Database } from '../../store/database.ts';
import { isUniqueViolation } from '../../store/unique-violation.ts';
import type { NewRequest } from './begin-store.ts';
import { commitAndTell } from './commit-and-tell.ts';
import { commitSends, type SendCommit } from './commit-store.ts';
import { type IfRefused, type Refused, repeatUntilDone } from './repeat-until-done.ts';
import type { Settlement } from './settlement.ts';
import { takeTurns } from './turn-store.ts';
import { unpackSettled } from './unpack-settled.ts';
import { listBegun, withdrawRequest, withdrawStray } from './withdraw-store.ts';

/** Enough to share a commit among all callers of a busy moment, few enough to keep each statement short. */
const SENDS_A_COMMIT_MAX = 100;
const TURNS_A_COMMIT_MAX = 500;
/** As much as a single send may bring. All sends of a commit wait for all of its bytes: a hundred large ones took seconds. */
const BYTES_A_COMMIT_MAX = 1 << 20;
/**
 * One commit at a time is the cheapest: what comes meanwhile shares the next one. Two small ones took a third more of the
 * database and an eighth more of this process for the same sends, so a second one goes beside it only when it is large.
 */
const COMMITS_MAX = 2;
const BESIDE_MIN = 24;
/** These commits are rare, so two at a time cost nothing. */
const OTHERS_MAX = 2;
/** With so many refused commits waiting nothing more is begun: what cannot be stored must not go out. A few may be at fault themselves. */
const REFUSED_MAX = 100;
const tooManyRefused = storeTooSlow('The outcomes of other sends cannot be stored', false);
/** A store that takes this long to commit a request is in trouble, and its caller does better to come again. */
const BEGIN_WAIT_MS = 5_000;
const tooLong = storeTooSlow('No commit in time', true);
/** Sends are rarely under way for so long, so that few have to be told from strays. */
const STRAY_MS = 30_000;
export const STRAYS_EVERY_MS = 15_000;

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
          // Dropped: while the store hangs such requests would pile up, to be committed and taken back before anybody else's.
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
          const isPlain = !isEventful(settlement) && !isOld(settlement);
          if (!isPlain || !(await commits.add({ kind: 'settle', settlement }))) await tellings.add(settlement);
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

/**
 * Some requests begin while others end: one statement, and so one commit, carries both. False: a request does not stand, or a
 * settlement has messages with an outcome already, which is then to be told beside that one.
 */
async function commitTogether(database: Database, items: readonly (Begin | Settle)[]): Promise<boolean[]> {
  const begun = items.flatMap((item) => (item.kind === 'begin' ? (handOver(item) ?? []) : []));
  const settlements = items.flatMap((item) => (item.kind === 'settle' ? [item.settlement] : []));
  if (begun.length === 0 && settlements.length === 0) return items.map(() => false);
  const left = await commitOnce(database, {
    begun,
    settled: settlements.flatMap(({ settled }) => settled),
    completed: settlements.flatMap(({ completed }) => completed ?? []),
  });
  return items.map((item) => {
    if (item.kind === 'begin') return item.request !== null && !left.has(item.request.id);
    return !item.settlement.settled.some(({ message }) => left.has(message.id));
  });
}

function handOver(item: Begin): NewRequest | null {
  item.handed = true;
  return item.request;
}

/** Outcomes are nearly always the first news of their messages, and inserting them as new rows is much cheaper. */
async function commitOnce(database: Database, commit: SendCommit): Promise<Set<string>> {
  if (commit.settled.some(({ message }) => message.status === 'pending')) return commitBesideReports(database, commit);
  try {
    return await commitSends(database, commit, 'new');
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    return commitBesideReports(database, commit);
  }
}

/**
 * First writes the rows that are missing and then locks those that are there, in the order in which reports do it. The statement alone
 * would lock rows that are there before it came to one that a report is writing at this moment, while that report waits for a lock
 * of these rows.
 */
function commitBesideReports(database: Database, commit: SendCommit): Promise<Set<string>> {
  return database.transaction(async (tx) => {
    // A message that waited for its turn has a row from its beginning. In a paced channel that is nearly every message.
    const packed = commit.settled.filter(({ message }) => message.status !== 'pending');
    if (packed.length > 0) await unpackSettled(tx, packed);
    return commitSends(tx, commit, 'any');
  });
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
