import type { Logger } from 'pino';
import { formatId } from '../kernel/ids.ts';
import { StoreUnavailable } from '../kernel/store-unavailable.ts';
import type { Database, Transaction } from '../store/database.ts';
import { isLockTimeout, limitLockWaits } from '../store/lock-timeout.ts';
import { isPassingFailure } from '../store/passing-failure.ts';
import { IDLE_TRANSACTION_TIMEOUT_MS } from '../store/session-settings.ts';
import { type AppliedBatch, type ApplyDeps, applyNotifications, type ItemApplier } from './apply.ts';
import { applySingly } from './apply-singly.ts';
import { type ClaimOrder, claimPacked, finishPacked, type PackedNotification, unpack } from './pack-store.ts';
import { writeReasons } from './reason.ts';
import {
  type ClaimedNotification,
  claimNotification,
  claimNotifications,
  finishNotifications,
  setNotificationAside,
} from './store.ts';

/**
 * The most that one transaction takes. One notification may hold a thousand statuses, so bytes are counted as well: 16 MiB of them kept
 * this process from everything else for half a second.
 */
const ROWS_MAX = 500;
const BYTES_MAX = 1 << 20;
/** A claim locks all packs that it looks at, also those that turn out to be too many to take: other nodes skip them. */
const PACKS_MAX = 50;
/** At least this many that wait in rows of their own are taken, even if packs fill the transaction: a flood must not hold them up. */
const WAITING_ROWS_MIN = 100;
/** And this many bytes of them: beside a full pack each transaction would else take one row only. The first is taken whatever its size. */
const WAITING_BYTES_MIN = 256 << 10;
/**
 * A batch writes rows of many accounts, and somebody may keep one of these rows locked for hours, as a transaction does that was left open
 * in a terminal. So a batch waits for no lock for longer than this, and then each is applied alone. It is longer than many nodes wait for
 * one another where one account brings all of their work, and than the locks last of a node that hangs: there, each alone would be slower.
 */
const BATCH_LOCK_WAIT_MS = IDLE_TRANSACTION_TIMEOUT_MS + 2_000;
/** Where somebody keeps a lock, all the others wait while one that is applied alone waits for it. One that goes without comes again. */
const ALONE_LOCK_WAIT_MS = 10;

export interface RoundDeps extends ApplyDeps {
  /** Told what a batch has come to, once that is committed. */
  onBatch?(batch: AppliedBatch, durationMs: number): void;
  /** Called before packs are claimed. What it returns is called once they are applied, if no other packs were left. */
  onClaim?(): () => void;
}

/** What one transaction takes: packs that came lately, and rows that were looked at before and still wait. */
interface Claimed {
  packed: readonly PackedNotification[];
  /** Whether there are more packs. */
  left: boolean;
  waiting: readonly ClaimedNotification[];
  /** Rows that have spoiled or held up their batch before, and are not applied together with others again. */
  spoiling: readonly ClaimedNotification[];
}

/** Takes what is due, as much as fits into one transaction, and applies it. Returns the number of notifications. */
export async function runRound(
  database: Database,
  deps: RoundDeps,
  log: Logger,
  order: ClaimOrder = 'quiet',
): Promise<number> {
  let claimed: Claimed = { packed: [], left: false, waiting: [], spoiling: [] };
  try {
    const begunMs = performance.now();
    const onCaughtUp = deps.onClaim?.();
    const batch = await database.transaction(async (tx) => {
      claimed = await claim(tx, order);
      return claimed.packed.length + claimed.waiting.length > 0 ? applyClaimed(tx, deps, claimed) : undefined;
    });
    if (!claimed.left) onCaughtUp?.();
    if (batch !== undefined) deps.onBatch?.(batch, performance.now() - begunMs);
  } catch (error) {
    const { packed, waiting } = claimed;
    const ids = [...packed, ...waiting].map(({ id }) => id).sort();
    if (isPassingFailure(error) || ids.length === 0) throw error;
    const isLocked = isLockTimeout(error);
    if (isLocked) log.warn({ err: error, notifications: ids.length }, 'notifications.batch_locked');
    else log.error({ err: error, notifications: ids.length }, 'notifications.batch_refused');
    if (packed.length > 0) await unpack(database, packed);
    const lockWaitMs = isLocked ? ALONE_LOCK_WAIT_MS : BATCH_LOCK_WAIT_MS;
    for (const id of ids) await applyAlone(database, deps, { id, spoiling: false, lockWaitMs }, log);
  }
  for (const { id } of claimed.spoiling)
    await applyAlone(database, deps, { id, spoiling: true, lockWaitMs: ALONE_LOCK_WAIT_MS }, log);
  return claimed.packed.length + claimed.waiting.length + claimed.spoiling.length;
}

async function claim(tx: Transaction, order: ClaimOrder): Promise<Claimed> {
  const { packed, left } = await claimPacked(tx, order, {
    packsMax: PACKS_MAX,
    rowsMax: ROWS_MAX,
    bytesMax: BYTES_MAX,
  });
  const bytes = packed.reduce((sum, { body }) => sum + body.length, 0);
  const rowsLeft = Math.max(WAITING_ROWS_MIN, ROWS_MAX - packed.length);
  const rows = await claimNotifications(tx, rowsLeft, Math.max(WAITING_BYTES_MIN, BYTES_MAX - bytes));
  const { waiting = [], spoiling = [] } = Object.groupBy(rows, (row) => (row.spoiling ? 'spoiling' : 'waiting'));
  return { packed, left, waiting, spoiling };
}

/** Applies all that was claimed in the order in which it came, whether or not it was looked at before. */
async function applyClaimed(tx: Transaction, deps: RoundDeps, { packed, waiting }: Claimed): Promise<AppliedBatch> {
  await limitLockWaits(tx, BATCH_LOCK_WAIT_MS);
  const inOrder = [...packed, ...waiting].sort((a, b) => (a.id < b.id ? -1 : 1));
  const applied = await applyNotifications(tx, deps, inOrder);
  const results = new Map(applied.results.map((result) => [result.id, result]));
  const resultsOf = (some: readonly ClaimedNotification[]) => some.flatMap(({ id }) => results.get(id) ?? []);
  if (packed.length > 0) await finishPacked(tx, packed, resultsOf(packed));
  if (waiting.length > 0) await finishNotifications(tx, resultsOf(waiting));
  return applied;
}

/**
 * Applies one notification by itself: as a whole first, and item by item if that is refused. If one of its items has failed before, it is
 * applied item by item at once. A notification that is refused even then is set aside whole, or it would come back for ever.
 */
async function applyAlone(
  database: Database,
  deps: RoundDeps,
  { id, spoiling, lockWaitMs }: { id: string; spoiling: boolean; lockWaitMs: number },
  log: Logger,
): Promise<void> {
  const singly: ItemApplier = (tx, works, messagesFromMs) => applySingly(tx, works, messagesFromMs, log);
  for (const apply of spoiling ? [singly] : [undefined, singly]) {
    try {
      const begunMs = performance.now();
      const batch = await database.transaction(async (tx) => {
        const claimed = await claimNotification(tx, id);
        if (claimed === undefined) return undefined;
        await limitLockWaits(tx, lockWaitMs);
        const applied = await applyNotifications(tx, deps, [claimed], apply);
        await finishNotifications(tx, applied.results);
        return applied;
      });
      if (batch !== undefined) deps.onBatch?.(batch, performance.now() - begunMs);
      return;
    } catch (error) {
      if (isPassingFailure(error)) throw error;
      if (!isLockTimeout(error))
        log.error({ err: error, notification_id: formatId('ntf', id) }, 'notification.refused');
      // Not an item waits, but the writing down of what became of them: somebody keeps the table itself locked.
      else if (apply === singly) throw new StoreUnavailable(error, false);
    }
  }
  const error = writeReasons(['failed']);
  await setNotificationAside(database, id, error);
  const result = { id, state: 'set_aside', error, retryInSeconds: 0 } as const;
  deps.onBatch?.({ results: [{ ...result, kinds: [], itemsLeft: [] }], itemKinds: [], unread: [] }, 0);
}
