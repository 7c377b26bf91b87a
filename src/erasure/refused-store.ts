import { E164 } from '../kernel/phone-number.ts';
import type { Queryable } from '../store/database.ts';
import { type Reached, type Stretch, walk } from './stretch.ts';
import { SOMEBODY_ELSE } from './walk-store.ts';

const KEPT = `regexp_replace(entry->>'to', '[^0-9()[\\]]', '', 'g')`;
const WITHOUT_BRACKETED_ZERO = `regexp_replace(${KEPT}, '[([]0[])]', '', 'g')`;
const DIGITS = `regexp_replace(regexp_replace(${WITHOUT_BRACKETED_ZERO}, '[^0-9]', '', 'g'), '^(00|011)', '')`;

/**
 * Whether an entry names the person. A number that could not be read does so if it has the same digits once a zero in brackets and
 * what is dialled before a country code (00 or 011) are left out. A single leading zero is not left out: it begins a national
 * number, which may be anybody's.
 */
const NAMES_PERSON = `(entry->>'to' = any($4) or ${DIGITS} = any($5))`;

const ENTRY_LEFT = `exists (
        select from jsonb_array_elements(r.refused) as entry where entry->>'to' <> '' and not ${NAMES_PERSON})`;
const ANYBODY_LEFT = `(${SOMEBODY_ELSE} or ${ENTRY_LEFT})`;

/**
 * No message leads to a refused entry, so all requests of the account are walked through. What a request holds for all its recipients
 * is emptied if it names nobody else. A request that still runs is left to the second walk: ending it needs what it holds.
 */
const REFUSED_EMPTY = `
  with batch as (
    select id, refused, completed_at from request
    where account_id = $1 and id < $2 order by id desc limit $3
  ), emptied as (
    update request r set
      content = case when ${ANYBODY_LEFT} then r.content end,
      client_reference = case when ${ANYBODY_LEFT} then r.client_reference end,
      idempotency_key = case when ${ANYBODY_LEFT} then r.idempotency_key end,
      refused = (
        select jsonb_agg(case when ${NAMES_PERSON}
          then entry - 'user_id' - 'client_reference' || '{"to": ""}' else entry end order by place)
        from jsonb_array_elements(r.refused) with ordinality as t(entry, place))
    where r.account_id = $1 and r.id = any(array(
      select id from batch where completed_at is not null
        and exists (select from jsonb_array_elements(batch.refused) as entry where ${NAMES_PERSON})))
  )
  select id as reached from batch order by id limit 1`;

/** Empties the entries that never became a message and name the person, be it by a number in another form. */
export function emptyRefused(tx: Queryable, stretch: Stretch): Promise<Reached> {
  const numbers = stretch.persons.filter((person) => E164.test(person)).map((number) => number.slice(1));
  return walk(tx, REFUSED_EMPTY, stretch, numbers);
}
