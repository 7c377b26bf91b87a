import { AT_MS, DATA_IF_SMALL } from '../../events/store.ts';
import { NIL_UUID } from '../../kernel/ids.ts';
import type { Mode } from '../../kernel/principal.ts';
import type { Queryable } from '../../store/database.ts';
import { DUE, DUE_ORDER, endpointsFrom } from './due-store.ts';

/** One event for one endpoint, taken by this node. */
interface Claim {
  account_id: string;
  endpoint_id: string;
  event_id: string;
  /** The place (`ctid`) of its row, which is right until somebody writes the row. */
  place: string;
  /** How many were made before. */
  attempts: number;
  /** When it became due, in microseconds. A replay changes this time; another claim does not. */
  next_at_us: number;
  /** When the claim ends, in microseconds; no other claim of this delivery has the same. */
  claimed_until_us: number;
  mode: Mode;
  /** Counts the changes of the endpoint up to this claim. */
  endpoint_version: number;
  /** Counts the changes of its URL, and how often it was turned on or off. */
  address_version: number;
  /** It has had no success since its last failure. */
  endpoint_failing: boolean;
  url: string;
  secret_sealed: Buffer;
  /** null: there is none that still signs. */
  previous_secret_sealed: Buffer | null;
}

/** With all that an attempt needs. */
export interface LiveDelivery extends Claim {
  type: string;
  sequence: number;
  /** JSON, as the database writes it. null: they are large, and are read when the attempt begins. A claim of some hundred might have gigabytes. */
  data: string | null;
  traceparent: string | null;
  /** When it was recorded, in milliseconds: reading a date costs more than all other columns together. */
  at_ms: number;
}

/** One whose event has expired meanwhile. */
interface ExpiredDelivery extends Claim {
  type: null;
  sequence: null;
  data: null;
  traceparent: null;
  at_ms: null;
}

export type ClaimedDelivery = LiveDelivery | ExpiredDelivery;

/** How much a claim takes. */
export interface ClaimLimits {
  /** Endpoints that may have more or fewer deliveries than the others now, or none. */
  rooms: readonly { endpointId: string; room: number }[];
  /** For each of the others that is failing, and for each that is not. */
  roomOfFailing: number;
  roomOfOthers: number;
  /** Of all endpoints together. */
  deliveriesMax: number;
  /** How long it lasts, on the database's clock. */
  claimSeconds: number;
  /** Who takes it. */
  nodeId: string;
  /** Begins after the endpoint with this id; null: with the first. */
  after: string | null;
}

/** No claim is made for longer. One that ends later was made before the database's clock was set back. */
export const LONGEST_CLAIM = "interval '5 minutes'";
export const CLAIMED_UNTIL_US = '(extract(epoch from claimed_until) * 1000000)::bigint';
export const NEXT_AT_US = '(extract(epoch from next_at) * 1000000)::bigint';

/** Those that come after the one with the id $5. */
const LATER_ENDPOINTS = endpointsFrom(`where (${DUE_ORDER}) > (uuid_send($5::uuid), 'infinity')`);

/**
 * Takes what is due, a little of each endpoint. It steps by the index from one endpoint with deliveries to the next, and looks at no more
 * of each than may be taken, so that the backlog of a dead endpoint costs one step. The claim ends on the database's clock. How many
 * deliveries an endpoint may have is looked up in one JSON object ($1): a join would compare every endpoint that waits with every one
 * in the list.
 *
 * It reads ranges in the order of one index, finds rows again by their place, and looks events and endpoints up one by one. Written
 * like this it has only one plan, and a good one, even while the planner believes that the table is empty.
 */
const DELIVERY_CLAIM = `
  with recursive ${LATER_ENDPOINTS}, due as (
    select d.place from waiting w
    cross join lateral (
      select enabled, failing_since from endpoint where account_id = w.account_id and id = w.endpoint_id limit 1) e
    cross join lateral (
      select ctid as place from delivery
      where ${DUE}
        and (claimed_until is null or claimed_until <= now() or claimed_until > now() + ${LONGEST_CLAIM})
      order by ${DUE_ORDER}
      limit coalesce(
        ($1::jsonb ->> w.endpoint_id::text)::integer, case when e.failing_since is null then $2::integer else $6::integer end)
      for update skip locked) d
    where e.enabled
    limit $3
  ), claimed as (
    update delivery set claimed_until = now() + make_interval(secs => $4), claimed_by = $7
    where ctid = any(array(select place from due))
    returning account_id, endpoint_id, event_id, ctid as place, attempts, ${NEXT_AT_US} as next_at_us,
      ${CLAIMED_UNTIL_US} as claimed_until_us
  )
  select c.account_id, c.endpoint_id, c.event_id, c.place, c.attempts, c.next_at_us, c.claimed_until_us, e.mode,
    e.version as endpoint_version, e.address_version, e.failing_since is not null as endpoint_failing,
    e.url, e.secret_sealed, e.previous_secret_sealed,
    v.type, v.sequence, v.data, v.traceparent, v.at_ms
  from claimed c
  cross join lateral (
    select mode, version, address_version, failing_since, url, secret_sealed,
      case when previous_expires_at > now() then previous_secret_sealed end as previous_secret_sealed
    from endpoint where account_id = c.account_id and id = c.endpoint_id limit 1) e
  left join lateral (
    select type, sequence, ${DATA_IF_SMALL} as data, traceparent, ${AT_MS} from event
    where account_id = c.account_id and id = c.event_id limit 1) v on true
  order by c.next_at_us, v.sequence`;

export function claimDeliveries(store: Queryable, limits: ClaimLimits): Promise<ClaimedDelivery[]> {
  return store.query<ClaimedDelivery>(DELIVERY_CLAIM, [
    JSON.stringify(Object.fromEntries(limits.rooms.map(({ endpointId, room }) => [endpointId, room]))),
    limits.roomOfOthers,
    limits.deliveriesMax,
    limits.claimSeconds,
    limits.after ?? NIL_UUID,
    limits.roomOfFailing,
    limits.nodeId,
  ]);
}
