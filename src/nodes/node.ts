import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { newId } from '../kernel/ids.ts';
import { isAlive } from '../kernel/is-alive.ts';
import { LEASE_MS } from '../kernel/lease.ts';
import { type RunStep, runOnce } from '../kernel/run-step.ts';
import { unwatched, type WatchRound } from '../observe/loops.ts';
import type { Queryable } from '../store/database.ts';
import { isPassingFailure } from '../store/passing-failure.ts';
import { deleteNode, forgetNode, listNodes, type NodeRow, renewNode } from './store.ts';

/** Shorter than a pause between two rounds of `findGone`, so that a node that lives renews its lease between them. */
export const BEAT_MS = 3_000;
/** While commits hang, each renewal holds a connection. One may hang by itself, because its connection is dead; two do not. */
const RENEWALS_MAX = 2;

export interface Node {
  id: string;
  /** Renews the lease: a small commit, which also shows that the store can commit. Joins another one if two are under way. */
  renewLease(): Promise<void>;
  /**
   * Nodes whose work may be settled: those that are certainly gone, and those that had no lease in the round before
   * either and have given no sign of life since. `working` are the nodes that have something to settle; one of them without
   * a record is gone too.
   */
  findGone(working: readonly string[]): Promise<string[]>;
  /** Ends a node's record, once nothing of it is left to settle and its lease is over. */
  forget(id: string): Promise<void>;
  /** Stops the beat and takes this node's own record away. */
  leave(): Promise<void>;
}

interface Deps {
  database: Queryable;
  log: Logger;
  watch?: WatchRound;
  runStep?: RunStep;
}

/** Announces this process as a node and keeps its lease alive. */
export async function joinNodes({ database, log, watch = unwatched, runStep = runOnce }: Deps): Promise<Node> {
  const id = newId();
  const host = hostIdentity();
  const underWay = new Set<Promise<void>>();
  const begin = () => {
    const renewal = renewNode(database, id, host, process.pid, LEASE_MS / 1_000).finally(() =>
      underWay.delete(renewal),
    );
    underWay.add(renewal);
    return renewal;
  };
  const renewLease = () => (underWay.size < RENEWALS_MAX ? undefined : [...underWay].at(-1)) ?? begin();
  await runStep(renewLease);
  const beat = setInterval(() => {
    if (underWay.size < RENEWALS_MAX) void renew();
  }, BEAT_MS);
  beat.unref();

  async function renew(): Promise<void> {
    try {
      await watch(begin);
    } catch (error) {
      if (!isPassingFailure(error)) throw error;
      log.warn({ err: error }, 'node.lease_not_renewed');
    }
  }

  // After an outage of the database every lease is over, and the first look must not find everybody else gone; nor must one
  // after a second outage, before which they had renewed their leases.
  let suspects = new Map<string, string | null>();

  return {
    id,
    renewLease,
    async findGone(working) {
      const nodes = await listNodes(database);
      const others = nodes.filter((node) => node.id !== id);
      const unrecorded = new Set(working).difference(new Set([id, ...nodes.map((node) => node.id)]));
      const before = suspects;
      suspects = new Map([
        ...[...unrecorded].map((id) => [id, null] as const),
        ...others.filter((node) => node.lease_over).map(({ id, lease }) => [id, lease] as const),
      ]);
      const silent = [...suspects].filter(([id, lease]) => before.get(id) === lease).map(([id]) => id);
      const certain = others.filter((node) => isDead(node, host)).map((node) => node.id);
      return [...new Set([...silent, ...certain])];
    },
    forget: (gone) => forgetNode(database, gone),
    async leave() {
      clearInterval(beat);
      // Whoever asked for it is told how it ended; if it came after the record is taken away, it would bring it back.
      await Promise.allSettled(underWay);
      await deleteNode(database, id);
    },
  };
}

/**
 * A node on this very machine whose process is gone need not be waited for, so a restart settles at once what the
 * killed process left. A process id equal to ours can only be that of an earlier life.
 */
function isDead(node: NodeRow, host: string): boolean {
  return node.host === host && (node.pid === process.pid || !isAlive(node.pid));
}

/**
 * The machine, its boot and the namespace of process ids, so that those of two machines, two boots or two containers
 * are never taken for the same: containers may share even the machine's name.
 */
function hostIdentity(): string {
  try {
    const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${hostname()} ${bootId} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    // Only Linux has these files. Elsewhere the name has to do, and a restart at worst waits for the lease.
    return hostname();
  }
}
