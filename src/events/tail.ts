import type { Logger } from 'pino';
import type { Owner } from '../kernel/principal.ts';
import { unwatched, type WatchRound } from '../observe/loops.ts';
import type { Queryable } from '../store/database.ts';
import { isPassingFailure } from '../store/passing-failure.ts';
import { findLatest } from './store.ts';

/** How soon events of other nodes are seen. What this node records is told by a nudge. */
export const POLL_MS = 250;
/** Nudges of a busy moment become one question to the store. */
const NUDGE_PAUSE_MS = 10;

/** Tells waiting readers that there is something new, with one small query for all of them together. */
export interface Tail {
  /** Resolves when an event after `after` is recorded, when the time is up, or when the signal ends the wait. */
  wait(log: LogPosition, timeoutMs: number, signal: AbortSignal): Promise<void>;
  /** This node has recorded something. */
  nudge(): void;
}

/** A place in a log. */
export interface LogPosition extends Owner {
  after: number;
}

interface Waiter extends LogPosition {
  wake(): void;
}

export function createTail(database: Queryable, log: Logger, watch: WatchRound = unwatched): Tail {
  const waiters = new Set<Waiter>();
  let timer: NodeJS.Timeout | undefined;
  let dueMs = 0;
  let asking = false;
  /** Somebody wants another question soon after the one that is being asked. */
  let again = false;

  /** One question is planned or asked at a time, so that a slow store is not asked more and more. */
  function plan(inMs: number): void {
    if (asking) {
      again = true;
      return;
    }
    const atMs = performance.now() + inMs;
    if (waiters.size === 0 || (timer !== undefined && dueMs <= atMs)) return;
    clearTimeout(timer);
    dueMs = atMs;
    timer = setTimeout(() => void ask(), inMs);
  }

  async function ask(): Promise<void> {
    timer = undefined;
    // The last one left meanwhile: at a stop the store is about to be closed.
    if (waiters.size === 0) return;
    asking = true;
    const asked = [...waiters];
    const latest = await watch(() => findLatest(database, asked)).catch((error: unknown) => {
      if (!isPassingFailure(error)) throw error;
      log.warn({ err: error }, 'events.tail_waits_for_store');
      return undefined;
    });
    if (latest !== undefined) for (const waiter of asked) if (latest(waiter) > waiter.after) waiter.wake();
    asking = false;
    plan(again ? NUDGE_PAUSE_MS : POLL_MS);
    again = false;
  }

  return {
    wait: (position, timeoutMs, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve();
        const waiter = { ...position, wake };
        const expiry = setTimeout(wake, timeoutMs);
        signal.addEventListener('abort', wake);
        waiters.add(waiter);
        plan(NUDGE_PAUSE_MS);

        function wake(): void {
          waiters.delete(waiter);
          clearTimeout(expiry);
          signal.removeEventListener('abort', wake);
          resolve();
        }
      }),
    nudge: () => plan(NUDGE_PAUSE_MS),
  };
}
