import { PREFERENCE_TABLES } from '../people/preference-store.ts';
import type { Queryable } from '../store/database.ts';

/**
 * The person's other identity, a number or a user id, by the preferences in a table. Only where each of the two names the other:
 * preferences are kept for ever, and a former number of the person may be somebody else's by now.
 */
const otherNames = (table: string) => `
    select o.person from ${table} o where o.account_id = $1 and o.other = $3 and o.person <> $3
      and (select p.other from ${table} p
        where p.account_id = $1 and p.business_account_id = o.business_account_id and p.person = $3) = o.person`;

/**
 * `persons` begins with what was asked for and the other identities that the preferences tell, because there may be no message
 * that tells them.
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

const BEGUN = '(down_step > 0 or down_to is not null)';
/** Whether it does not rest before the step in $1, be it due or not. */
const GOES_ON = '(down_step <> $1 or down_to is not null)';

/**
 * The account is locked, so that other nodes take erasures of other accounts only: of two at once in one account, each would see
 * the rows that name both persons as they were before, and each would leave them to the other. The step in $1 begins only when no
 * request runs any more that was made before the erasure was due, however late its outcome is written if the database was away.
 *
 * Those of an account that stand at the same place go on together, at most $2, for a walk through all that there is takes hardly longer for
 * many. Whoever is asked for meanwhile waits until the walk is over or rests, so that the next one takes all of them along: begun at
 * once, each would walk alone, and many could be asked for in the time that one takes.
 */
const ERASURES_CLAIM = `
  with next as (
    select e.account_id, e.down_step, e.down_to, e.due_at from erasure e
    cross join lateral (select id from account where id = e.account_id limit 1 for no key update skip locked) a
    where e.due_at <= now() and e.account_id <> all($3::uuid[])
      and (${BEGUN} or e.account_id not in (select account_id from erasure where due_at <= now() and ${BEGUN} and ${GOES_ON}))
      and (${GOES_ON} or (
        select r.id from request r
        where r.account_id = e.account_id and r.completed_at is null and r.id < uuid_bound(e.due_at) limit 1) is null)
    order by e.due_at limit 1
  )
  select e.account_id, e.id, e.persons, e.mark, e.asked_at, e.down_step, e.down_to from next
  join erasure e on e.account_id = next.account_id and e.due_at <= now()
    and e.down_step = next.down_step and e.down_to is not distinct from next.down_to
    and (e.down_step <> $1 or e.down_to is not null or e.due_at = next.due_at) -- All of them may go on.
  order by e.asked_at limit $2 for update of e`;

/** Those of one account that go on together, or none. Accounts in `heldUp` are passed over. */
export function claimErasures(
  tx: Queryable,
  settledStep: number,
  atMost: number,
  heldUp: ReadonlySet<string>,
): Promise<ErasureRow[]> {
  return tx.query<ErasureRow>(ERASURES_CLAIM, [settledStep, atMost, [...heldUp]]);
}

const NAMES_KEEP = 'update erasure set persons = $3 where account_id = $1 and id = $2';

/** Keeps what the walk has found the person to be known by. */
export async function keepNames(tx: Queryable, { account_id: accountId, id, persons }: ErasureRow): Promise<void> {
  await tx.query(NAMES_KEEP, [accountId, id, persons]);
}

/**
 * After each stretch they queue up behind those of other accounts, so that a small account does not wait for a large one. A time of asking
 * that lies ahead is from before the database's clock was set back, and counts as now.
 */
const ERASURES_MOVE = `
  update erasure set down_step = $3, down_to = $4, due_at = greatest(now(),
    least(now(), (select max(asked_at) from erasure where account_id = $1 and id = any($2))) + make_interval(secs => $5))
  where account_id = $1 and id = any($2)`;

/** Moves erasures of one account, which go on no sooner than `afterMs` after the last one was asked for. */
export async function moveErasures(
  tx: Queryable,
  rows: readonly ErasureRow[],
  place: Pick<ErasureRow, 'down_step' | 'down_to'>,
  afterMs: number,
): Promise<void> {
  const ids = rows.map(({ id }) => id);
  await tx.query(ERASURES_MOVE, [rows[0]?.account_id, ids, place.down_step, place.down_to, afterMs / 1_000]);
}

const ERASURES_PUT_OFF = `
  update erasure set due_at = now() + interval '1 hour' where account_id = $1 and due_at <= now()`;

/** Lets those of an account that are due wait for an hour. */
export async function putOffErasures(store: Queryable, accountId: string): Promise<void> {
  await store.query(ERASURES_PUT_OFF, [accountId]);
}

/** None rests for longer than an hour. One that seems to do so was put off before the database's clock was set back. */
const ERASURES_HASTEN = `
  update erasure set due_at = now() where ctid = any(array(
    select ctid from erasure where due_at > now() + interval '1 hour' limit 1000 for update skip locked))
  returning 1 as hastened`;

/** Makes some erasures due that wait for a time of a clock that was wrong; returns how many. */
export async function hastenErasures(store: Queryable): Promise<number> {
  return (await store.query(ERASURES_HASTEN)).length;
}

/**
 * Deletes the person's preferences, but not what was said since the erasure was asked for ($3): a later stop has to be obeyed. A
 * preference of somebody else that names the person as the other identity stays, but does not name the person any more.
 */
const wordsForget = (table: string) => `
  with gone as (
    delete from ${table} where account_id = $1 and person = any($2) and at < $3
      and business_account_id in (select business_account_id from channel where account_id = $1)
  )
  update ${table} set other = null where account_id = $1 and other = any($2) and person <> all($2)`;

/** Windows that the person has opened anew stay. They are looked up channel by channel, as their primary key wants it. */
const ERASURE_FINISH = `
  with windows as (
    delete from customer_window where account_id = $1 and person = any($3) and last_at < $4
      and channel_id in (select id from channel where account_id = $1)
  )
  delete from erasure where account_id = $1 and id = $2`;

/** Deletes the erasure, and with it what is known of the person apart from messages. */
export async function finishErasure(tx: Queryable, erasure: ErasureRow): Promise<void> {
  const { account_id: accountId, id, persons, asked_at: askedAt } = erasure;
  for (const table of [PREFERENCE_TABLES.live, PREFERENCE_TABLES.test])
    await tx.query(wordsForget(table), [accountId, persons, askedAt]);
  await tx.query(ERASURE_FINISH, [accountId, id, persons, askedAt]);
}
