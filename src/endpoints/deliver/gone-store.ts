import type { Queryable } from '../../store/database.ts';
import { DUE, DUE_ORDER, EVERY_ENDPOINT } from './due-store.ts';

/** More than a node ever holds of one endpoint, and what it holds is what was due first. */
const LOOKED_AT_MAX = 1_000;

/**
 * A row that is locked is skipped: whoever is writing it knows more. A node of an older version claims without writing its name. If it
 * has claimed a delivery again that the gone node had, this claim ends too, and the event goes out once more.
 */
const DELIVERY_RELEASE_OF_NODE = `
  with recursive ${EVERY_ENDPOINT}, held as (
    select d.place from waiting w
    cross join lateral (
      select ctid as place, claimed_by from delivery where ${DUE} order by ${DUE_ORDER} limit $2) d
    where d.claimed_by = $1
  ), free as (
    select ctid as place from delivery
    where ctid = any(array(select place from held)) and claimed_by = $1 and claimed_until > now()
    for update skip locked
  )
  update delivery set claimed_until = null where ctid = any(array(select place from free))
  returning 1 as released`;

/** Gives back what a gone node had claimed, without waiting for the end of its claims. Returns how many deliveries. */
export async function releaseOfNode(store: Queryable, nodeId: string): Promise<number> {
  return (await store.query(DELIVERY_RELEASE_OF_NODE, [nodeId, LOOKED_AT_MAX])).length;
}
