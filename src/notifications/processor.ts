import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import { formatId } from '../kernel/ids.ts';
import { unwatched, type WatchRound } from '../observe/loops.ts';
import type { Database } from '../store/database.ts';
import { isPassingFailure } from '../store/passing-failure.ts';
import { type AppliedBatch, type ApplyDeps, applyNotifications, type ItemApplier } from './apply.ts';
import { applySingly } from './apply-singly.ts';
import { BURST_STEP_MS, createBurst } from './burst.ts';
import { claimNotification, claimNotifications, setNotificationAside } from './store.ts';

/** One transaction takes so many, so that it is short, and so many bytes, so that it fits into memory. */
const ROWS_MAX = 500;
const BYTES_MAX = 16 << 20;
/** Finds what other nodes have left and what has waited long enough. The own intake nudges at once. */
export const POLL_MS = 1_000;

export interface Processor {
  /** Something was received: do not wait for the next poll. */
  nudge(): void;
  /** Ends after the round that is under way. */
  stop(): Promise<void>;
}

export interface ProcessorDeps extends ApplyDeps {
  watch?: WatchRound;
  /** Told what a batch has come to, once that is committed. */
  onBatch?(batch: AppliedBatch, durationMs: number): void;
}

/** Applies what was received, in rounds, as long as the process lives. Nodes share the work row by row. */
export function startProcessor(
  database: Database,
  deps: ProcessorDeps,
  log: Logger,
  /** Told after a round that had something to do: events may have been recorded. */
  onApplied = () => {},
): Processor {
  let stopped = false;
  let nudges = 0;
  let wake = () => {};
  const burst = createBurst();

  const sleep = (nudgesBefore: number) =>
    new Promise<void>((resolve) => {
      if (nudges > nudgesBefore || stopped) return resolve();
      const timer = setTimeout(resolve, POLL_MS);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const loop = async () => {
    while (!stopped) {
      const nudgesBefore = nudges;
      const taken = await tryRound(database, deps, log);
      if (taken > 0) onApplied();
      else await sleep(nudgesBefore);
      while (!stopped && burst.answersFirst(taken, nudges, performance.now())) await wait(BURST_STEP_MS);
    }
  };
  const ended = loop();

  return {
    nudge() {
      nudges += 1;
      wake();
    },
    stop() {
      stopped = true;
      wake();
      return ended;
    },
  };
}

/** How many notifications it took; if any, there may be more to do at once. */
async function tryRound(database: Database, deps: ProcessorDeps, log: Logger): Promise<number> {
  try {
    const { watch = unwatched } = deps;
    return await watch(() => runRound(database, deps, log));
  } catch (error) {
    if (!isPassingFailure(error)) throw error;
    // The rows stay as they were, and the next round takes them again.
    log.warn({ err: error }, 'notifications.round_failed');
    return 0;
  }
}

async function runRound(database: Database, deps: ProcessorDeps, log: Logger): Promise<number> {
  let ids: string[] = [];
  try {
    const begunMs = performance.now();
    const batch = await database.transaction(async (tx) => {
      const claimed = await claimNotifications(tx, ROWS_MAX, BYTES_MAX);
      ids = claimed.map(({ id }) => id);
      return claimed.length > 0 ? applyNotifications(tx, deps, claimed) : undefined;
    });
    if (batch !== undefined) deps.onBatch?.(batch, performance.now() - begunMs);
    return ids.length;
  } catch (error) {
    if (isPassingFailure(error) || ids.length === 0) throw error;
    log.error({ err: error, notifications: ids.length }, 'notifications.batch_refused');
    for (const id of ids) await applyAlone(database, deps, id, log);
    return ids.length;
  }
}

/** As a whole, then item by item. One that is refused even so is set aside whole: it must not come back for ever. */
async function applyAlone(database: Database, deps: ProcessorDeps, id: string, log: Logger): Promise<void> {
  const singly: ItemApplier = (tx, works) => applySingly(tx, deps.targets, works, log);
  for (const apply of [undefined, singly]) {
    try {
      const begunMs = performance.now();
      const batch = await database.transaction(async (tx) => {
        const claimed = await claimNotification(tx, id);
        return claimed === undefined ? undefined : applyNotifications(tx, deps, [claimed], apply);
      });
      if (batch !== undefined) deps.onBatch?.(batch, performance.now() - begunMs);
      return;
    } catch (error) {
      if (isPassingFailure(error)) throw error;
      log.error({ err: error, notification_id: formatId('ntf', id) }, 'notification.refused');
    }
  }
  await setNotificationAside(database, id, 'failed');
  const result = { id, state: 'set_aside', error: 'failed', retryInSeconds: 0 } as const;
  deps.onBatch?.({ results: [{ ...result, kinds: [], itemsLeft: [] }], itemKinds: [] }, 0);
}
