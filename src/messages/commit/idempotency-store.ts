import { byPlace } from '../../kernel/by-place.ts';
import type { Mode } from '../../kernel/principal.ts';
import type { Queryable } from '../../store/database.ts';

export interface IdempotencyRow {
  request_id: string;
  body_sha256: Buffer;
  answer: string | null;
}

/** A key as it must be unique. */
export interface WantedKey {
  accountId: string;
  mode: Mode;
  key: string;
}

/**
 * A key that has expired is deleted in passing, so that it can be claimed again. If somebody else is deleting it, that is left to them,
 * because nobody may wait for another here. Each key is looked up by itself. `+ interval '0'` keeps the planner from the index of
 * expiry, by which it would read all keys while the table is new.
 */
const IDEMPOTENCY_FIND = `
  with wanted as (
    select * from unnest($1::uuid[], $2::mode[], $3::text[]) with ordinality as t(account_id, mode, key, place)
  ), expired as (
    delete from idempotency where ctid = any(array(
      select i.place from wanted w
      cross join lateral (
        select ctid as place from idempotency
        where account_id = w.account_id and mode = w.mode and key = w.key and expires_at + interval '0' <= now()
        limit 1 for update skip locked) i))
  )
  select w.place::integer as place, i.request_id, i.body_sha256, i.answer from wanted w
  cross join lateral (
    select request_id, body_sha256, answer from idempotency
    where account_id = w.account_id and mode = w.mode and key = w.key and expires_at + interval '0' > now() limit 1) i`;

/** What is known of each key, in their order; undefined: it is free. */
export async function findIdempotency(
  store: Queryable,
  wanted: readonly WantedKey[],
): Promise<(IdempotencyRow | undefined)[]> {
  const rows = await store.query<IdempotencyRow & { place: number }>(IDEMPOTENCY_FIND, [
    wanted.map(({ accountId }) => accountId),
    wanted.map(({ mode }) => mode),
    wanted.map(({ key }) => key),
  ]);
  return byPlace(rows, wanted.length);
}

/** Bounded, so that a long backlog never holds locks for long. A stored answer may have a megabyte. */
const IDEMPOTENCY_EXPIRE = `
  delete from idempotency where ctid in (select ctid from idempotency where expires_at <= now() limit 1000)
  returning 1 as gone`;

/** Forgets expired keys of all accounts; returns how many, so that a caller can go on while there are more. */
export async function expireIdempotency(store: Queryable): Promise<number> {
  return (await store.query(IDEMPOTENCY_EXPIRE)).length;
}
