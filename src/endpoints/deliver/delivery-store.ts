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
 * The order in which deliveries are found: endpoint by endpoint, and within each what is due first. The account need not be in it, since
 * no two accounts have an endpoint of the same id.
 *
 * Only one index has this order, and the conditions beside it name nothing by which the primary key could be read instead. Otherwise the
 * planner may choose that key: after a vacuum that came while hardly anything waited, it believes until the next `analyze` that the
 * table is empty, and that reading and sorting all that waits costs nothing.
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
 * Takes what is due, a little of each endpoint. It steps by the index from one endpoint with deliveries to the next, and looks at no more
 * of each than may be taken, so that the backlog of a dead endpoint costs one step. The lease is on the database's clock. How many
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
 * The rows that were claimed, looked up one by one as in the claim. They are compared as a range of the primary key, which only that key
 * can serve: with equalities the planner may take the index of what is due, and read a whole backlog.
 *
 * The number of attempts and the time when it became due are the fence: a node that comes back after its lease changes no delivery that
 * was tried again or replayed without it. Another claim changes neither of the two, so a delivery that has arrived is removed even if
 * another node has claimed it since. Where that would be wrong, `OF_THIS_CLAIM` is a second fence.
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

/** A write is repeated only where another claim was committed in that very moment, which does not happen so often in a row. */
const WRITES_MAX = 10;

/**
 * Runs the statement again until it has written all rows that it has locked. If it has to wait for a row that another claim is
 * writing, it locks the new version of the row but cannot write it, because it sees only what was committed before it began. The
 * next run sees the new version.
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
 * Removes deliveries by the places that the claim returned, which costs a fifth of a look-up by the key. A row that was written since
 * (claimed by another node, or made due by a replay) has another place, and its old place may hold another row by now. So everything
 * that names the delivery is compared as well, and a row that has moved is not removed.
 *
 * Nor is a row without a claim. Servers from before September 2025 may still find a row at its old place when a replay of it has just
 * been committed (https://hackorum.dev/topics/52249), and a replay takes the claim away.
 *
 * Nor is a row that somebody has locked. Everybody else who writes several rows locks them in the order of the key, and this statement
 * goes in the order of places: to wait here could be to wait in a circle.
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

/** What is over and what is to be tried again, in one statement, so that all rows are locked in one order. */
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
 * Deletes deliveries whose endpoint is gone: an event may have been recorded while the endpoint was deleted. It steps from endpoint to
 * endpoint as the claim does, and so looks at no delivery to an endpoint that exists, however many there are. A row that is locked,
 * because an attempt is being written down, is left to the next sweep: those locks are taken in another order.
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
