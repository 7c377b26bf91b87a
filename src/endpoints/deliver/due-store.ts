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
/** Every endpoint that has deliveries, from the first one on that meets the condition `first`, as such a part without a count. */
export const endpointsFrom = (first: string) => `
  waiting as (
    (select account_id, endpoint_id from delivery ${first} order by ${DUE_ORDER} limit 1)
    union all
    select n.account_id, n.endpoint_id from waiting w ${NEXT_ENDPOINT}
  )`;
/** All of them. */
export const EVERY_ENDPOINT = endpointsFrom('');
