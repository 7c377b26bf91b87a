import type { Logger } from 'pino';
import type { Clock } from '../kernel/clock.ts';
import { type KeepDays, type KeepLimits, keepLimitsByTwoClocks } from '../kernel/keep.ts';
import { type BatchShares, createBatchShares } from '../store/batch-shares.ts';
import { isChangeRefused } from '../store/change-refused.ts';
import type { Database, Transaction } from '../store/database.ts';
import { doEach } from '../store/do-each.ts';
import { isLockTimeout } from '../store/lock-timeout.ts';
import { isTableGone } from '../store/table-gone.ts';
import { dropNextPartition, notificationsUntilMs } from './drop-partitions.ts';
import { expireEvents } from './expire-events.ts';
import {
  countWindowBlocks,
  deleteApplied,
  deleteStrays,
  deleteWindows,
  emptyContent,
  emptyStrays,
  expireDeliveries,
} from './expire-store.ts';
import { claimTask, moveTask, type Progress } from './task-store.ts';
import { walkPartitions, walkTable } from './walk-blocks.ts';

/** A round goes on to the next task after so many batches, even if there is more to do: one must not hold up the others. */
const BATCHES_A_ROUND = 50;
const ROWS_A_BATCH = 5_000;
const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 86_400;

interface Deps {
  database: Database;
  days: KeepDays;
  clock: Clock;
  log: Logger;
  /** Once it is aborted the round ends after the batch under way. */
  closing?: AbortSignal;
}

/** How far a step may go: what is past its time, and which part of the usual size it may take. */
interface Bounds extends KeepLimits {
  share: number;
}

const rowsOf = ({ share }: Bounds) => Math.ceil(ROWS_A_BATCH * share);

/** A step of a task, in a transaction of its own. `more`: it is to go on at once. */
type Step = (tx: Transaction, bounds: Bounds, progress: Progress) => Promise<Progress & { more: boolean }>;

interface Task {
  name: string;
  step: Step;
  /** How long the task rests when there is nothing more to do; without it an hour. */
  pauseSeconds?: number;
}

/**
 * In this order: a week of events is dropped when all in it has expired, and a week that is gone need not be walked. A task without a row in
 * `keeping` is taken for one that another node is at work on, so a migration inserts it.
 */
export const TASKS: readonly Task[] = [
  { name: 'events', step: expireEvents },
  { name: 'partitions', step: async (tx, limits) => fromStart(await dropNextPartition(tx, limits)) },
  { name: 'request contents', step: emptying('request') },
  { name: 'message contents', step: emptying('message') },
  {
    name: 'notifications',
    step: (tx, bounds, progress) => {
      const wish = { parent: 'notification' as const, untilMs: notificationsUntilMs(bounds), share: bounds.share };
      return walkPartitions(tx, wish, progress, (blocks) => deleteApplied(tx, blocks, bounds));
    },
  },
  {
    name: 'strays',
    step: async (tx, bounds) => {
      const emptied = await emptyStrays(tx, bounds, rowsOf(bounds));
      return fromStart((await deleteStrays(tx, bounds, rowsOf(bounds))) + emptied > 0);
    },
  },
  {
    name: 'deliveries',
    step: async (tx, bounds) => fromStart((await expireDeliveries(tx, bounds, rowsOf(bounds))) > 0),
  },
  {
    name: 'windows',
    // It reads the whole table.
    pauseSeconds: DAY_SECONDS,
    step: async (tx, bounds, progress) => {
      const wish = { table: 'customer_window', blocks: await countWindowBlocks(tx), share: bounds.share };
      return walkTable(wish, progress, (blocks) => deleteWindows(tx, blocks, bounds));
    },
  },
];

/**
 * Takes away what is past its time, a bounded part of it. Any node may call it: the others skip a task that one node is at work
 * on, and each step is committed by itself, so that a node that dies loses one step at most. `shares` are by the names of the tasks.
 */
export async function keepRound(deps: Deps, shares = createBatchShares()): Promise<void> {
  await doEach(TASKS.map((task) => () => goOnForRound(deps, shares, task)));
}

async function goOnForRound(deps: Deps, shares: BatchShares, task: Task): Promise<void> {
  for (let batch = 0; batch < BATCHES_A_ROUND; batch++)
    if (deps.closing?.aborted === true || !(await goOn(deps, shares, task))) return;
}

/** Whether there is more to do at once. */
async function goOn(
  { database, days, clock, log }: Deps,
  shares: BatchShares,
  { name, step, pauseSeconds }: Task,
): Promise<boolean> {
  try {
    return await database.transaction(async (tx) => {
      const task = await claimTask(tx, name);
      if (task === undefined) return false;
      const limits = keepLimitsByTwoClocks(days, clock, task.atMs);
      const { more, ...reached } = await shares.take(name, (share) => step(tx, { ...limits, share }, task.progress));
      await moveTask(tx, name, reached, more ? 0 : (pauseSeconds ?? HOUR_SECONDS));
      return more;
    });
  } catch (error) {
    // Another node may drop the week that this one was about to walk; the next round goes on behind it. A database may also refuse for a
    // while that a week is dropped.
    if (!isLockTimeout(error) && !isTableGone(error) && !isChangeRefused(error)) throw error;
    log.info({ err: error, task: name }, 'keeping.put_off');
    return false;
  }
}

function emptying(kind: 'request' | 'message'): Step {
  return (tx, { contentFromMs, share }, progress) =>
    walkPartitions(tx, { parent: kind, untilMs: contentFromMs, share }, progress, (blocks) =>
      emptyContent(tx, kind, blocks),
    );
}

function fromStart(more: boolean): Progress & { more: boolean } {
  return { place: null, block: 0, more };
}
