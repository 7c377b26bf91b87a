import { type Batcher, createBatcher } from '../../store/batcher.ts';
import type { Database } from '../../store/database.ts';
import { limitLockWaits } from '../../store/lock-timeout.ts';
import { isUniqueViolation } from '../../store/unique-violation.ts';
import { untilAlone } from '../../store/until-alone.ts';
import type { NewRequest } from './begin-store.ts';
import { commitAndTell } from './commit-and-tell.ts';
import { commitSends, type SendCommit } from './commit-store.ts';
import type { Settlement } from './settlement.ts';
import { takeTurns } from './turn-store.ts';
import { unpackSettled } from './unpack-settled.ts';

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

/** A request that begins. */
export interface Begin {
  kind: 'begin';
  /** null: its caller was answered before it was handed to the store. */
  request: NewRequest | null;
  handed: boolean;
}
type Settle = { kind: 'settle'; settlement: Settlement };

/** What shares a commit: beginnings and ends of sends, ends that are told in events, turns. */
export type OnCommit = (what: 'sends' | 'tellings' | 'turns', items: number) => void;

/** The commits that the sends of one moment share. */
export interface SharedCommits {
  /**
   * False: the request does not stand, or the settlement has messages with an outcome already, which is then to be told beside that one.
   */
  sends: Batcher<Begin | Settle, boolean>;
  /** The same for settlements that have failed before, apart from all that begins. */
  again: Batcher<Settlement, boolean>;
  tellings: Batcher<Settlement, void>;
  /** False: the message must not be transmitted any more. */
  turns: Batcher<{ accountId: string; messageId: string }, boolean>;
}

/** `onEvents` is called after a commit that recorded events, `onCommit` before each commit, with the number of its items. */
export function createSharedCommits(database: Database, onEvents: () => void, onCommit?: OnCommit): SharedCommits {
  const ofSettlements = {
    itemsMax: SENDS_A_COMMIT_MAX,
    weightMax: BYTES_A_COMMIT_MAX,
    weightOf: ({ bytes }: Settlement) => bytes,
    flushesMax: OTHERS_MAX,
  };
  return {
    sends: createBatcher({
      itemsMax: SENDS_A_COMMIT_MAX,
      weightMax: BYTES_A_COMMIT_MAX,
      weightOf: (item) => (item.kind === 'begin' ? (item.request?.bytes ?? 0) : item.settlement.bytes),
      flushesMax: COMMITS_MAX,
      besideMin: BESIDE_MIN,
      flush: (items) => {
        onCommit?.('sends', items.length);
        return commitTogether(database, items);
      },
    }),
    again: createBatcher({
      ...ofSettlements,
      flush: async (items, isPart) => {
        onCommit?.('sends', items.length);
        const commit = (lockWaitMs: number) => commitBesideReports(database, commitOf(items), lockWaitMs);
        const left = await untilAlone(items, isPart, commit);
        return items.map((item) => isWritten(item, left));
      },
    }),
    tellings: createBatcher({
      ...ofSettlements,
      flush: async (items, isPart) => {
        onCommit?.('tellings', items.length);
        await untilAlone(items, isPart, (lockWaitMs) => commitAndTell(database, items, lockWaitMs));
        onEvents();
        return items.map(() => undefined);
      },
    }),
    turns: createBatcher({
      itemsMax: TURNS_A_COMMIT_MAX,
      flushesMax: OTHERS_MAX,
      flush: async (items) => {
        onCommit?.('turns', items.length);
        const taken = await takeTurns(database, items);
        return items.map(({ messageId }) => taken.has(messageId));
      },
    }),
  };
}

/** Some requests begin while others end: one statement, and so one commit, carries both. */
async function commitTogether(database: Database, items: readonly (Begin | Settle)[]): Promise<boolean[]> {
  const begun = items.flatMap((item) => (item.kind === 'begin' ? (handOver(item) ?? []) : []));
  const settlements = items.flatMap((item) => (item.kind === 'settle' ? [item.settlement] : []));
  if (begun.length === 0 && settlements.length === 0) return items.map(() => false);
  const left = await commitOnce(database, { ...commitOf(settlements), begun });
  return items.map((item) => {
    if (item.kind === 'begin') return item.request !== null && !left.has(item.request.id);
    return isWritten(item.settlement, left);
  });
}

function commitOf(settlements: readonly Settlement[]): SendCommit {
  return {
    begun: [],
    settled: settlements.flatMap(({ settled }) => settled),
    completed: settlements.flatMap(({ completed }) => completed ?? []),
  };
}

function isWritten({ settled }: Settlement, left: ReadonlySet<string>): boolean {
  return !settled.some(({ message }) => left.has(message.id));
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
function commitBesideReports(database: Database, commit: SendCommit, lockWaitMs?: number): Promise<Set<string>> {
  return database.transaction(async (tx) => {
    if (lockWaitMs !== undefined) await limitLockWaits(tx, lockWaitMs);
    // A message that waited for its turn has a row from its beginning. In a paced channel that is nearly every message.
    const packed = commit.settled.filter(({ message }) => message.status !== 'pending');
    if (packed.length > 0) await unpackSettled(tx, packed);
    return commitSends(tx, commit, 'any');
  });
}
