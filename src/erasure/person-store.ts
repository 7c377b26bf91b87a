import { PREFERENCE_TABLES } from '../people/store.ts';
import type { Queryable } from '../store/database.ts';

/** Only where each of the two names the other: a former number of the person may be somebody else's by now. */
const otherNames = (table: string) => `
    select o.person from ${table} o where o.account_id = $1 and o.other = $3 and o.person <> $3
      and (select p.other from ${table} p
        where p.account_id = $1 and p.business_account_id = o.business_account_id and p.person = $3) = o.person`;

/**
 * With the other identity that the person's words on marketing messages have told, if they did: no message may tell it. These
 * words are kept for ever, and the messages of whoever has a former number by now must not be emptied.
 */
const ERASURE_INSERT = `
  insert into erasure (account_id, id, persons, mark, due_at)
  values ($1, $2, $3::text || array(${otherNames(PREFERENCE_TABLES.live)} union ${otherNames(PREFERENCE_TABLES.test)}),
    $4, now())`;

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
  asked_at: Date;
  down_step: number;
  /** The last id that the step has passed; null at its beginning. */
  down_to: string | null;
}

/**
 * Other nodes take one of another account meanwhile: two of the same account would each see what names the other's person as
 * it was, and leave what both are named in to one another. The step in $1 begins when nothing runs any more that was begun
 * before it was due, however long a database that was away has kept that waiting.
 */
const ERASURE_CLAIM = `
  select e.account_id, e.id, e.persons, e.mark, e.asked_at, e.down_step, e.down_to from erasure e
  cross join lateral (select id from account where id = e.account_id limit 1 for no key update skip locked) a
  where e.due_at <= now() and (e.down_step <> $1 or e.down_to is not null or (
    select r.id from request r
    where r.account_id = e.account_id and r.completed_at is null and r.id < uuid_bound(e.due_at) limit 1) is null)
  order by e.due_at limit 1 for update of e skip locked`;

export async function claimErasure(tx: Queryable, settledStep: number): Promise<ErasureRow | undefined> {
  return (await tx.query<ErasureRow>(ERASURE_CLAIM, [settledStep]))[0];
}

/** It queues up behind the others, so that a small one does not wait for a large one. */
const ERASURE_MOVE = `
  update erasure set persons = $3, down_step = $4, down_to = $5,
    due_at = greatest(now(), asked_at + make_interval(secs => $6)) where account_id = $1 and id = $2`;

/** It goes on no sooner than `afterMs` after it was asked for. */
export async function moveErasure(tx: Queryable, row: ErasureRow, afterMs: number): Promise<void> {
  await tx.query(ERASURE_MOVE, [row.account_id, row.id, row.persons, row.down_step, row.down_to, afterMs / 1_000]);
}

/**
 * The person's words on marketing messages. What was said since the erasure was asked for ($3) is new, and a later stop has to be
 * kept to. A stop of somebody else who was named beside the person stays, and names nobody any more.
 */
const wordsForget = (table: string) => `
  with gone as (
    delete from ${table} where account_id = $1 and person = any($2) and at < $3
      and business_account_id in (select business_account_id from channel where account_id = $1)
  )
  update ${table} set other = null where account_id = $1 and other = any($2) and person <> all($2)`;

/** With the windows that the person has not opened anew: looked up by each channel, because that is how they are kept. */
const ERASURE_FINISH = `
  with windows as (
    delete from customer_window where account_id = $1 and person = any($3) and last_at < $4
      and channel_id in (select id from channel where account_id = $1)
  )
  delete from erasure where account_id = $1 and id = $2`;

/** With what is known of the person apart from messages. */
export async function finishErasure(tx: Queryable, erasure: ErasureRow): Promise<void> {
  const { account_id: accountId, id, persons, asked_at: askedAt } = erasure;
  for (const table of [PREFERENCE_TABLES.live, PREFERENCE_TABLES.test])
    await tx.query(wordsForget(table), [accountId, persons, askedAt]);
  await tx.query(ERASURE_FINISH, [accountId, id, persons, askedAt]);
}
