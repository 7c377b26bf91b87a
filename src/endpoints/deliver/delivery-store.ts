import type { Queryable } from '../../store/database.ts';
import type { StatementPart } from '../../store/statement-part.ts';
import { CLAIMED_UNTIL_US, type ClaimedDelivery, LONGEST_CLAIM, NEXT_AT_US } from './claim-store.ts';
import { DUE_ORDER, EVERY_ENDPOINT } from './due-store.ts';

/**
 * The rows that were claimed, looked up one by one as in the claim. They are compared as a range of the primary key, which only that key
 * can serve: with equalities the planner may take the index of what is due, and read a whole backlog.
 *
 * The number of attempts and the time when it became due are the fence: a node that comes back after its claim has ended changes no delivery that
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

/** No delivery is put off for longer (`schedule.ts`). One that waits until later was put off before the database's clock was set back. */
const LONGEST_WAIT = "interval '27 hours'";

/** It steps from endpoint to endpoint as the claim does, and looks at no delivery whose wait can be right. What is locked is left to the next sweep. */
const DELIVERY_HASTEN = `
  with recursive ${EVERY_ENDPOINT}
  update delivery set next_at = now(), claimed_until = null where ctid = any(array(
    select d.place from waiting w
    cross join lateral (
      select ctid as place from delivery
      where (${DUE_ORDER}) > (uuid_send(w.endpoint_id), now() + ${LONGEST_WAIT})
        and (${DUE_ORDER}) <= (uuid_send(w.endpoint_id), 'infinity')
        and (claimed_until is null or claimed_until > now() + ${LONGEST_CLAIM})
      order by ${DUE_ORDER} limit 10000 for update skip locked) d
    limit 10000))
  returning 1 as hastened`;

/** Makes some deliveries due that wait for a time of a clock that was wrong; returns how many. */
export async function hastenDeliveries(store: Queryable): Promise<number> {
  return (await store.query(DELIVERY_HASTEN)).length;
}
