import type { Queryable } from '../store/database.ts';
import { LEASE_OVER } from '../store/lease-over.ts';

/** A node, and where it runs. */
export interface NodePlace {
  id: string;
  /** See `hostIdentity`. */
  host: string;
  pid: number;
}

export interface NodeRow extends NodePlace {
  lease_over: boolean;
  /** Until when it is, as a text that only a renewal changes. */
  lease: string;
}

/**
 * Leases stand on the database's clock. A node that others have taken for dead (it was paused, say) joins again: what
 * they settled meanwhile stays settled, because no outcome ever makes a status go backwards.
 */
const NODE_RENEW = `
  insert into node (id, host, pid, lease_until) values ($1, $2, $3, now() + make_interval(secs => $4))
  on conflict (id) do update set lease_until = excluded.lease_until
  returning round(extract(epoch from clock_timestamp()) * 1000)::bigint as now_ms`;

/** Returns the database's time. */
export async function renewNode(store: Queryable, { id, host, pid }: NodePlace, leaseSeconds: number): Promise<number> {
  const [renewed] = await store.query<{ now_ms: number }>(NODE_RENEW, [id, host, pid, leaseSeconds]);
  if (renewed === undefined) throw new Error('The renewal of a lease has written no row');
  return renewed.now_ms;
}

const NODE_LIST = `select id, host, pid, ${LEASE_OVER} as lease_over, lease_until::text as lease from node`;

export function listNodes(store: Queryable): Promise<NodeRow[]> {
  return store.query<NodeRow>(NODE_LIST);
}

const NODE_DELETE = 'delete from node where id = $1';
/** Only if it has not come back meanwhile. */
const NODE_FORGET = `delete from node where id = $1 and ${LEASE_OVER}`;

export async function forgetNode(store: Queryable, id: string): Promise<void> {
  await store.query(NODE_FORGET, [id]);
}

export async function deleteNode(store: Queryable, id: string): Promise<void> {
  await store.query(NODE_DELETE, [id]);
}
