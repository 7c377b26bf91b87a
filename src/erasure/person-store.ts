import { idTimeMs } from '../kernel/ids.ts';
import type { Queryable } from '../store/database.ts';

/**
 * With the other identity that the person's word on marketing messages has told, if it did: no message may tell it. Only
 * where each of the two names the other, because these words are kept for ever: a former number of the person may be
 * somebody else's by now, whose messages would be emptied.
 */
const ERASURE_INSERT = `
  insert into erasure (account_id, id, persons, mark, due_at)
  values ($1, $2, $3::text || array(
    select distinct o.person from marketing_preference o where o.account_id = $1 and o.other = $3 and o.person <> $3
      and (select p.other from marketing_preference p
        where p.account_id = $1 and p.business_account_id = o.business_account_id and p.person = $3) = o.person
  ), $4, now())`;

export interface NewErasure {
  accountId: string;
  id: string;
  person: string;
  mark: string;
}

export async function insertErasure(tx: Queryable, erasure: NewErasure): Promise<void> {
  const { accountId, id, person, mark } = erasure;
  await tx.query(ERASURE_INSERT, [accountId, id, person, mark]);
}

export interface ErasureRow {
  account_id: string;
  id: string;
  /** What the person is known by: first what was asked for, then what the walk has found to be the same person. */
  persons: string[];
  mark: string;
  step: number;
  /** The last id that the step has passed; null at its beginning. */
  place: string | null;
}

/**
 * Other nodes take another one meanwhile. The step in $1 begins when nothing runs any more that was begun before it was due,
 * however long a database that was away has kept that waiting.
 */
const ERASURE_CLAIM = `
  select account_id, id, persons, mark, step, place from erasure e
  where due_at <= now() and (step <> $1 or place is not null or (
    select r.id from request r
    where r.account_id = e.account_id and r.completed_at is null and r.id < uuid_bound(e.due_at) limit 1) is null)
  order by due_at limit 1 for update of e skip locked`;

export async function claimErasure(tx: Queryable, settledStep: number): Promise<ErasureRow | undefined> {
  return (await tx.query<ErasureRow>(ERASURE_CLAIM, [settledStep]))[0];
}

/** It queues up behind the others, so that a small one does not wait for a large one. */
const ERASURE_MOVE = `
  update erasure set persons = $3, step = $4, place = $5, due_at = greatest(now(), $6) where account_id = $1 and id = $2`;

export async function moveErasure(tx: Queryable, row: ErasureRow, notBefore: Date): Promise<void> {
  await tx.query(ERASURE_MOVE, [row.account_id, row.id, row.persons, row.step, row.place, notBefore]);
}

/**
 * With what is known of the person apart from messages: looked up by each channel, because that is how it is kept. What the
 * person has said since the erasure was asked for ($4) is new, and a later stop has to be kept to. A stop of somebody else who
 * was named beside the person stays, and names nobody any more.
 */
const ERASURE_FINISH = `
  with windows as (
    delete from customer_window where account_id = $1 and person = any($3) and last_at < $4
      and channel_id in (select id from channel where account_id = $1)
  ), preferences as (
    delete from marketing_preference where account_id = $1 and person = any($3) and at < $4
      and business_account_id in (select business_account_id from channel where account_id = $1)
  ), beside as (
    update marketing_preference set other = null where account_id = $1 and other = any($3) and person <> all($3)
  )
  delete from erasure where account_id = $1 and id = $2`;

export async function finishErasure(tx: Queryable, { account_id: accountId, id, persons }: ErasureRow): Promise<void> {
  await tx.query(ERASURE_FINISH, [accountId, id, persons, new Date(idTimeMs(id))]);
}
