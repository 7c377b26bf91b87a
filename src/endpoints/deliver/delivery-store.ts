import { AT_MS } from '../../events/store.ts';
import { NIL_UUID } from '../../kernel/ids.ts';
import type { Mode } from '../../kernel/principal.ts';
import type { Queryable } from '../../store/database.ts';
import type { StatementPart } from '../../store/statement-part.ts';

/** One event for one endpoint, taken by this node, with all that an attempt needs. */
export interface ClaimedDelivery {
  account_id: string;
  endpoint_id: string;
  event_id: string;
  /** Where its row stands, until somebody writes it. */
  place: string;
  /** How many were made before. */
  attempts: number;
  /** When it became due, in microseconds; a replay gives it another time, and another claim does not. */
  next_at_us: number;
  /** When the claim ends, in microseconds; no other claim of this delivery has the same. */
  claimed_until_us: number;
  mode: Mode;
  /** Counts the changes of the endpoint up to this claim. */
  endpoint_version: number;
  /** Counts those of its URL, and its being turned on and off. */
  address_version: number;
  /** It has had no success since its last failure. */
  endpoint_failing: boolean;
  url: string;
  secret_sealed: Buffer;
  /** null: there is none that still signs. */
  previous_secret_sealed: Buffer | null;
  /** null: the event has expired meanwhile, and so have the members below. */
  type: string | null;
  sequence: number;
  /** JSON, as the database writes it. */
  data: string;
  traceparent: string | null;
  /** When it was recorded, in milliseconds: reading a date costs more than all other columns together. */
  at_ms: number;
}

/** One whose event is there. */
export type LiveDelivery = ClaimedDelivery & { type: string };

/** How much a claim takes. */
export interface ClaimLimits {
  /** Endpoints that may have more or fewer deliveries than the others now, or none. */
  rooms: readonly { endpointId: string; room: number }[];
  /** For each of the others that is failing, and for each that is not. */
  roomOfFailing: number;
  roomOfOthers: number;
  /** Of all endpoints together. */
  deliveriesMax: number;
  leaseSeconds: number;
  /** Who takes it. */
  nodeId: string;
  /** Begins after the endpoint with this id; null: with the first. */
  after: string | null;
}

/** No claim is made for longer. One that ends later was made before the database's clock was set back. */
const LONGEST_CLAIM = "interval '5 minutes'";
const CLAIMED_UNTIL_US = '(extract(epoch from claimed_until) * 1000000)::bigint';
const NEXT_AT_US = '(extract(epoch from next_at) * 1000000)::bigint';

/**
 * The order in which deliveries are found: endpoint by endpoint, and for each what is due first. No other account has an endpoint of
 * the same id. Only one index has it, and the conditions beside it name nothing by which the primary key could be read: when a vacuum
 * comes while hardly anything waits, the planner believes until the next `analyze` that there is nothing, so that to read all that
 * waits by any index, and to sort it, costs nothing.
 */
export const DUE_ORDER = 'uuid_send(endpoint_id), next_at';
/** What is due for the endpoint `w`. */
export const DUE = `(${DUE_ORDER}) >= (uuid_send(w.endpoint_id), '-infinity')
        and (${DUE_ORDER}) <= (uuid_send(w.endpoint_id), now())`;
/** From the endpoint `w` to the next one, `n`, that has deliveries: a step in the index, however many each has. */
const NEXT_ENDPOINT = `
    cross join lateral (
      select account_id, endpoint_id from delivery
      where (${DUE_ORDER}) > (uuid_send(w.endpoint_id), 'infinity')
      order by ${DUE_ORDER} limit 1) n`;
/** The first endpoints that have deliveries, at most $1, as the part `waiting` of a recursive statement that counts them. */
export const FIRST_ENDPOINTS = `
  waiting as (
    (select account_id, endpoint_id, 1 as place from delivery order by ${DUE_ORDER} limit 1)
    union all
    select n.account_id, n.endpoint_id, w.place + 1 from waiting w ${NEXT_ENDPOINT}
    where w.place < $1
  )`;
const endpointsFrom = (first: string) => `
  waiting as (
    (select account_id, endpoint_id from delivery ${first} order by ${DUE_ORDER} limit 1)
    union all
    select n.account_id, n.endpoint_id from waiting w ${NEXT_ENDPOINT}
  )`;
/** Every endpoint that has deliveries, as the part `waiting` of a recursive statement. */
export const EVERY_ENDPOINT = endpointsFrom('');
/** Those that come after the one with the id $5. */
const LATER_ENDPOINTS = endpointsFrom(`where (${DUE_ORDER}) > (uuid_send($5::uuid), 'infinity')`);

/**
 * Takes what is due, a little of each endpoint. It steps from one endpoint with deliveries to the next by the index and
 * looks at no more of each than may be taken, so that the backlog of a dead endpoint costs one step. The lease is on the
 * database's clock. How much each may have is looked up in one object: a join would compare every endpoint that waits with
 * every one that is known. It reads ranges in the order of one index, finds rows again by their place, and looks events and
 * endpoints up one by one. Written so, it has only one plan, a good one, even if the planner believes the table empty.
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
    v.type, v.sequence, v.data::text as data, v.traceparent, v.at_ms
  from claimed c
  cross join lateral (
    select mode, version, address_version, failing_since, url, secret_sealed,
      case when previous_expires_at > now() then previous_secret_sealed end as previous_secret_sealed
    from endpoint where account_id = c.account_id and id = c.endpoint_id limit 1) e
  left join lateral (
    select type, sequence, data, traceparent, ${AT_MS} from event
    where account_id = c.account_id and id = c.event_id limit 1) v on true
  order by c.next_at_us, v.sequence`;

export function claimDeliveries(store: Queryable, limits: ClaimLimits): Promise<ClaimedDelivery[]> {
  return store.query<ClaimedDelivery>(DELIVERY_CLAIM, [
    JSON.stringify(Object.fromEntries(limits.rooms.map(({ endpointId, room }) => [endpointId, room]))),
    limits.roomOfOthers,
    limits.deliveriesMax,
    limits.leaseSeconds,
    limits.after ?? NIL_UUID,
    limits.roomOfFailing,
    limits.nodeId,
  ]);
}

/**
 * The rows that were claimed, looked up one by one: see the claim. A range in the order of the primary key can only be read
 * from that key; with equalities the planner may take the index of what is due, and read a whole backlog. The number of
 * attempts and the time when it became due are the fence: a node that comes back after its lease, or after a replay, changes
 * nothing that has gone on without it. Another claim leaves both as they are, so what has arrived is still taken away then;
 * where that must not be, the claim is a second fence.
 */
const TAKEN = `
  select d.place, t.account_id, t.wait_ms
  from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::integer[], $5::bigint[], $6::bigint[], $7::bigint[])
    as t(account_id, endpoint_id, event_id, attempts, next_at_us, claimed_until_us, wait_ms)
  cross join lateral (
    select ctid as place, account_id, attempts, ${NEXT_AT_US} as next_at_us, ${CLAIMED_UNTIL_US} as claimed_until_us from delivery
    where (account_id, endpoint_id, event_id) >= (t.account_id, t.endpoint_id, t.event_id)
      and (account_id, endpoint_id, event_id) <= (t.account_id, t.endpoint_id, t.event_id)
    order by account_id, endpoint_id, event_id limit 1 for update) d
  where d.account_id = t.account_id and d.attempts = t.attempts and d.next_at_us = t.next_at_us`;
const OF_THIS_CLAIM = 'and d.claimed_until_us = t.claimed_until_us';
const COUNTS = 'select (select count(*) from taken) as taken, (select count(*) from written) as written';

/** What names a claimed delivery; `attempts` and `next_at_us` are those that it was claimed with. */
export type Taken = Pick<ClaimedDelivery, 'account_id' | 'endpoint_id' | 'event_id' | 'attempts' | 'next_at_us'>;
/** The same, told apart from later claims of it. */
export type Claimed = Taken & Pick<ClaimedDelivery, 'claimed_until_us'>;

/** Each further one meets one more claim that was committed in just this moment. */
const WRITES_MAX = 10;

/**
 * A statement that waits for a row until another claim has written it locks the row as it is then, and cannot write it: what
 * was committed after the statement began is not seen by it. The next one sees it.
 */
async function writeTaken(store: Queryable, text: string, deliveries: readonly (Taken & Partial<Settled>)[]) {
  const values = takenValues(deliveries);
  for (let writes = 0; writes < WRITES_MAX; writes++) {
    const [row] = await store.query<{ taken: number; written: number }>(text, values);
    if (row?.taken === row?.written) return;
  }
}

const DELIVERY_RELEASE = `
  with taken as materialized (${TAKEN} ${OF_THIS_CLAIM}), written as (
    update delivery set claimed_until = null where ctid = any(array(select place from taken)) returning 1)
  ${COUNTS}`;

/** Gives back what was claimed and not begun; it is due again at once. */
export function releaseDeliveries(store: Queryable, deliveries: readonly Claimed[]): Promise<void> {
  return writeTaken(store, DELIVERY_RELEASE, deliveries);
}

const DELIVERY_REMOVE = `
  with taken as materialized (${TAKEN}), written as (
    delete from delivery where ctid = any(array(select place from taken)) returning 1)
  ${COUNTS}`;

/** Removes what has arrived or is given up. */
export function removeDeliveries(store: Queryable, deliveries: readonly Taken[]): Promise<void> {
  return writeTaken(store, DELIVERY_REMOVE, deliveries);
}

/**
 * The same by the places that the claim returned, which costs a fifth of a look-up by the key. A row that was written since
 * (claimed by another node, or made due by a replay) stands elsewhere, and its place may hold another row by now. A replay that
 * has just been committed is seen in the place before it by servers from before September 2025, https://hackorum.dev/topics/52249:
 * it has no claim. It waits for nobody: whoever else writes several rows has them in the order of the key, and this one in the
 * order of places. What is locked is left, as what stands elsewhere is.
 */
const REMOVED_BY_PLACE = `
  removed as (
    delete from delivery where ctid = any(array(
      select d.place from unnest($1::tid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::integer[], $6::bigint[])
        as t(place, account_id, endpoint_id, event_id, attempts, next_at_us)
      cross join lateral (
        select ctid as place, account_id, endpoint_id, event_id, attempts, ${NEXT_AT_US} as next_at_us from delivery
        where ctid = t.place limit 1 for update skip locked) d
      where d.account_id = t.account_id and d.endpoint_id = t.endpoint_id and d.event_id = t.event_id
        and d.attempts = t.attempts and d.next_at_us = t.next_at_us))
      and claimed_until is not null
    returning 1
  )`;

/** What names a claimed delivery, and where it was. */
export type Placed = Taken & Pick<ClaimedDelivery, 'place'>;

/** Removes what has arrived, as a part of the caller's statement; its result is how many of them were found. */
export function removalPart(deliveries: readonly Placed[]): StatementPart {
  return {
    ctes: [REMOVED_BY_PLACE],
    result: 'select count(*) as removed from removed',
    values: [deliveries.map(({ place }) => place), ...nameValues(deliveries)],
  };
}

/** Those that are over and those that are not in one statement, so that all are locked in one order. */
const DELIVERY_SETTLE = `
  with taken as materialized (${TAKEN} and (t.wait_ms is null or d.claimed_until_us = t.claimed_until_us)), removed as (
    delete from delivery where ctid = any(array(select place from taken where wait_ms is null)) returning 1
  ), postponed as (
    update delivery d set attempts = d.attempts + 1, claimed_until = null,
      next_at = now() + taken.wait_ms * interval '1 millisecond'
    from taken where d.ctid = taken.place and d.account_id = taken.account_id and taken.wait_ms is not null
    returning 1)
  select (select count(*) from taken) as taken, (select count(*) from removed) + (select count(*) from postponed) as written`;

/** After attempts: removes what has arrived or is given up, and puts off what is to be tried again. */
export function settleDeliveries(tx: Queryable, deliveries: readonly Settled[]): Promise<void> {
  return writeTaken(tx, DELIVERY_SETTLE, deliveries);
}

/** `waitMs` null: it is over. */
export type Settled = Claimed & { waitMs: number | null };

/** In the same order everywhere, so that those who lock several cannot deadlock. */
function takenValues(deliveries: readonly (Taken & Partial<Settled>)[]) {
  const keyOf = ({ account_id, endpoint_id, event_id }: Taken) => account_id + endpoint_id + event_id;
  const sorted = deliveries.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  return [
    ...nameValues(sorted),
    sorted.map(({ claimed_until_us: claimedUntilUs }) => claimedUntilUs ?? null),
    sorted.map(({ waitMs }) => waitMs ?? null),
  ];
}

function nameValues(deliveries: readonly Taken[]) {
  return [
    deliveries.map(({ account_id }) => account_id),
    deliveries.map(({ endpoint_id }) => endpoint_id),
    deliveries.map(({ event_id }) => event_id),
    deliveries.map(({ attempts }) => attempts),
    deliveries.map(({ next_at_us: nextAtUs }) => nextAtUs),
  ];
}

/**
 * Deliveries whose endpoint is gone: an event may have been recorded while it was deleted. It steps from endpoint to
 * endpoint as the claim does, and so looks at none of the deliveries to the others, however many there are. What an attempt is
 * being written down for is locked in another order, and left to the next sweep.
 */
const DELIVERY_TIDY = `
  with recursive ${EVERY_ENDPOINT}
  delete from delivery where ctid = any(array(
    select d.place from waiting w
    left join lateral (
      select id from endpoint where account_id = w.account_id and id = w.endpoint_id limit 1) e on true
    cross join lateral (
      select ctid as place from delivery where account_id = w.account_id and endpoint_id = w.endpoint_id
      limit 10000 for update skip locked) d
    where e.id is null
    limit 10000))
  returning event_id`;

/** A sweep over all accounts; to be repeated until it returns 0. */
export async function tidyDeliveries(store: Queryable): Promise<number> {
  return (await store.query(DELIVERY_TIDY)).length;
}
