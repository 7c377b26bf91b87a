import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { newId } from '../kernel/ids.ts';
import { StoreUnavailable } from '../kernel/store-unavailable.ts';
import type { Queryable } from '../store/database.ts';
import { deleteNode, listNodes, type NodeRow, renewNode } from './store.ts';

/** After this long without a sign of life a node's work is settled by others: well inside the promised 30 s. */
const LEASE_SECONDS = 15;
const BEAT_MS = 4_000;

export interface Node {
  id: string;
  /** Renews the lease: a small commit, which also shows that the store can commit. */
  renewLease(): Promise<void>;
  /** Nodes that are certainly gone, or whose lease is over: their work may be settled. */
  findGone(): Promise<string[]>;
  /** Ends a node's record once nothing of it is left to settle. */
  forget(id: string): Promise<void>;
  /** Stops the beat and takes this node's own record away. */
  leave(): Promise<void>;
}

interface Deps {
  database: Queryable;
  log: Logger;
}

/** Announces this process as a node and keeps its lease alive. */
export async function joinNodes({ database, log }: Deps): Promise<Node> {
  const id = newId();
  const host = hostIdentity();
  const renewLease = () => renewNode(database, id, host, process.pid, LEASE_SECONDS);
  await renewLease();
  const beat = setInterval(() => void renew(), BEAT_MS);
  beat.unref();

  async function renew(): Promise<void> {
    try {
      await renewLease();
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      log.warn({ err: error }, 'node.lease_not_renewed');
    }
  }

  return {
    id,
    renewLease,
    async findGone() {
      const nodes = await listNodes(database);
      return nodes.filter((node) => node.id !== id && isGone(node, host)).map((node) => node.id);
    },
    forget: (gone) => deleteNode(database, gone),
    async leave() {
      clearInterval(beat);
      await deleteNode(database, id);
    },
  };
}

/**
 * A node on this very machine whose process is gone need not be waited for, so a restart settles at once what the
 * killed process left. A process id equal to ours can only be an earlier life, as in a container that was restarted.
 */
function isGone(node: NodeRow, host: string): boolean {
  if (node.lease_over) return true;
  return node.host === host && (node.pid === process.pid || !isAlive(node.pid));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is there and belongs to somebody else.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** The machine and its boot, so that process ids of two machines, or of two boots, are never taken for the same. */
function hostIdentity(): string {
  try {
    return `${hostname()} ${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}`;
  } catch {
    // Only Linux has this file. Elsewhere the name has to do, and a restart at worst waits for the lease.
    return hostname();
  }
}
