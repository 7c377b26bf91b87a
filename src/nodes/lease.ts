import type { Logger } from 'pino';
import type { Clock } from '../kernel/clock.ts';
import { LEASE_MS } from '../kernel/lease.ts';
import type { WatchRound } from '../observe/loops.ts';
import type { Queryable } from '../store/database.ts';
import { isPassingFailure } from '../store/passing-failure.ts';
import { watchClockDifference } from './clock-difference.ts';
import { type NodePlace, renewNode } from './store.ts';

/** Shorter than a pause between two rounds of `findGone`, so that a node that lives renews its lease between them. */
export const BEAT_MS = 3_000;
/** While commits hang, each renewal holds a connection. One may hang by itself, because its connection is dead; two do not. */
const RENEWALS_MAX = 2;

/** This node's own lease. */
export interface Lease {
  /** Renews it: a small commit, which also shows that the store can commit. Joins another one if two are under way. */
  renew(): Promise<void>;
  /** From now on it is renewed again and again. */
  keep(): void;
  /** Ends that, and waits for the renewals under way. */
  stop(): Promise<void>;
}

interface Deps {
  database: Queryable;
  node: NodePlace;
  log: Logger;
  watch: WatchRound;
  clock: Clock;
  /** Is told with every renewal how far this process's clock is ahead of the database's. */
  onClockAhead?: ((aheadMs: number) => void) | undefined;
}

export function createLease({ database, node, log, watch, clock, onClockAhead }: Deps): Lease {
  const noteTime = watchClockDifference(clock, log, onClockAhead);
  const underWay = new Set<Promise<void>>();
  let beat: NodeJS.Timeout | undefined;
  const begin = () => {
    const renewal = renewNode(database, node, LEASE_MS / 1_000)
      .then(noteTime)
      .finally(() => underWay.delete(renewal));
    underWay.add(renewal);
    return renewal;
  };
  const isFull = () => underWay.size >= RENEWALS_MAX;
  const renewInTime = () =>
    watch(begin).catch((error: unknown) => {
      if (!isPassingFailure(error)) throw error;
      log.warn({ err: error }, 'node.lease_not_renewed');
    });
  return {
    renew: () => (isFull() ? [...underWay].at(-1) : undefined) ?? begin(),
    keep() {
      beat = setInterval(() => {
        if (!isFull()) void renewInTime();
      }, BEAT_MS).unref();
    },
    async stop() {
      clearInterval(beat);
      // Whoever asked for a renewal is told how it ended.
      await Promise.allSettled(underWay);
    },
  };
}
