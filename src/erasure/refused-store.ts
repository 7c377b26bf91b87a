import type { RefusedEntry } from '../messages/message.ts';
import type { Queryable } from '../store/database.ts';
import type { Reached, Stretch } from './stretch.ts';
import { SOMEBODY_ELSE } from './walk-store.ts';

/**
 * A batch ends when it has so much of refused entries, as they are stored: an entry may have a mebibyte, of which the database stores a
 * ninetieth at best.
 */
const BYTES_A_BATCH = 1 << 15;

/** The entries of a request that never became a message. */
export interface Refused {
  id: string;
  entries: RefusedEntry[];
}

/**
 * No message leads to a refused entry, so all requests of the account are walked through. A request that still runs is left to the
 * second walk: ending it needs what it holds.
 */
const REFUSED_FIND = `
  with near as (
    select id, refused, completed_at, coalesce(pg_column_size(refused), 0) as bytes from request
    where account_id = $1 and id < $2 order by id desc limit $3
  ), counted as (
    select id, refused, completed_at, sum(bytes) over (order by id desc) - bytes as bytes_before from near
  ), batch as (
    select id, refused, completed_at from counted where bytes_before < ${BYTES_A_BATCH}
  )
  select (select id from batch order by id limit 1) as reached,
    (select coalesce(jsonb_agg(jsonb_build_object('id', id, 'entries', refused)), '[]') from batch
      where completed_at is not null and refused is not null) as found`;

export async function findRefused(
  tx: Queryable,
  { accountId, place, limit }: Stretch,
): Promise<{ reached: Reached; found: Refused[] }> {
  const rows = await tx.query<{ reached: Reached; found: Refused[] }>(REFUSED_FIND, [accountId, place, limit]);
  return rows[0] ?? { reached: null, found: [] };
}

const ANYBODY_LEFT = `($5::boolean or ${SOMEBODY_ELSE})`;

/**
 * What a request holds for all its recipients is emptied if it names nobody else. It is one request at a time: for a list of them all
 * requests of the account were planned to be read.
 */
const REFUSED_REPLACE = `
  update request r set refused = $3::jsonb,
    content = case when ${ANYBODY_LEFT} then r.content end,
    client_reference = case when ${ANYBODY_LEFT} then r.client_reference end,
    idempotency_key = case when ${ANYBODY_LEFT} then r.idempotency_key end
  where r.account_id = $1 and r.id = $2`;

/** What is left of the entries of a request. */
export interface Left extends Refused {
  /** Whether one of them names somebody else. */
  namesOthers: boolean;
}

export async function replaceRefused(
  tx: Queryable,
  { accountId, persons }: Stretch,
  { id, entries, namesOthers }: Left,
): Promise<void> {
  await tx.query(REFUSED_REPLACE, [accountId, id, JSON.stringify(entries), persons, namesOthers]);
}
