import { isAlive } from '../kernel/is-alive.ts';
import type { Queryable } from '../store/database.ts';
import { listNodes, type NodePlace, type NodeRow } from './store.ts';

/**
 * Nodes whose work may be settled: those that are certainly gone, and those that had no lease in the round before
 * either and have given no sign of life since. `working` are the nodes that have something to settle; one of them without
 * a record is gone too.
 */
export type FindGone = (working: readonly string[]) => Promise<string[]>;

/** For the node `self`, which is never among them. */
export function createFindGone(database: Queryable, self: NodePlace): FindGone {
  // After an outage of the database every lease is over, and the first look must not find everybody else gone; nor must one
  // after a second outage, before which they had renewed their leases.
  let suspects = new Map<string, string | null>();
  return async (working) => {
    const nodes = await listNodes(database);
    const others = nodes.filter(({ id }) => id !== self.id);
    const unrecorded = new Set(working).difference(new Set([self.id, ...nodes.map(({ id }) => id)]));
    const before = suspects;
    suspects = new Map([
      ...[...unrecorded].map((id) => [id, null] as const),
      ...others.filter((node) => node.lease_over).map(({ id, lease }) => [id, lease] as const),
    ]);
    const silent = [...suspects].filter(([id, lease]) => before.get(id) === lease).map(([id]) => id);
    const certain = others.filter((node) => isDead(node, self)).map(({ id }) => id);
    return [...new Set([...silent, ...certain])];
  };
}

/**
 * A node on this very machine whose process is gone need not be waited for, so a restart settles at once what the
 * killed process left. A process id equal to ours can only be that of an earlier life.
 */
function isDead(node: NodeRow, self: NodePlace): boolean {
  return node.host === self.host && (node.pid === self.pid || !isAlive(node.pid));
}
