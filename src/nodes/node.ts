import type { Logger } from 'pino';
import { type Clock, systemClock } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import { type RunStep, runOnce } from '../kernel/run-step.ts';
import { unwatched, type WatchRound } from '../observe/loops.ts';
import type { Queryable } from '../store/database.ts';
import { createFindGone, type FindGone } from './find-gone.ts';
import { hostIdentity } from './host-identity.ts';
import { createLease } from './lease.ts';
import { deleteNode, forgetNode } from './store.ts';

export interface Node {
  id: string;
  /** Renews the lease: a small commit, which also shows that the store can commit. Joins another one if two are under way. */
  renewLease(): Promise<void>;
  findGone: FindGone;
  /** Ends a node's record, once nothing of it is left to settle and its lease is over. */
  forget(id: string): Promise<void>;
  /** Lets the lease go and takes this node's own record away. */
  leave(): Promise<void>;
}

interface Deps {
  database: Queryable;
  log: Logger;
  watch?: WatchRound;
  runStep?: RunStep;
  clock?: Clock;
  onClockAhead?(aheadMs: number): void;
}

/** Announces this process as a node and keeps its lease alive. */
export async function joinNodes(deps: Deps): Promise<Node> {
  const { database, log, watch = unwatched, runStep = runOnce, clock = systemClock, onClockAhead } = deps;
  const self = { id: newId(), host: hostIdentity(), pid: process.pid };
  const lease = createLease({ database, node: self, log, watch, clock, onClockAhead });
  await runStep(lease.renew);
  lease.keep();
  return {
    id: self.id,
    renewLease: lease.renew,
    findGone: createFindGone(database, self),
    forget: (gone) => forgetNode(database, gone),
    async leave() {
      // A renewal that came after the record is taken away would bring it back.
      await lease.stop();
      await deleteNode(database, self.id);
    },
  };
}
