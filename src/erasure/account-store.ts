import type { Queryable } from '../store/database.ts';

/** Nothing is sent to a deleted account's endpoints any more; the rows themselves go with all the others. */
const ENDPOINTS_DISABLE = `
  update endpoint set enabled = false, disabled_reason = 'requested', updated_at = now()
  where account_id = $1 and enabled returning id`;

/** The ids of those that were on. */
export async function disableEndpoints(tx: Queryable, accountId: string): Promise<string[]> {
  return (await tx.query<{ id: string }>(ENDPOINTS_DISABLE, [accountId])).map(({ id }) => id);
}

/**
 * Other nodes skip an account that one node is at work on. An account with a running request has to wait: the outcome of that
 * request will still be written, however late if the database was away. Running requests are looked up account by account,
 * because `not exists` was planned to read all of them.
 */
const DELETED_CLAIM = `
  select a.id from account a where a.deleted_at <= now() - make_interval(secs => $1) and a.id <> all($2::uuid[])
    and (select r.id from request r where r.account_id = a.id and r.completed_at is null limit 1) is null
  order by a.deleted_at limit 1 for update of a skip locked`;

/** An account that was deleted so long ago, has nothing under way and is not in `heldUp`, locked until the end of the transaction. */
export async function claimDeletedAccount(
  tx: Queryable,
  afterMs: number,
  heldUp: ReadonlySet<string>,
): Promise<string | undefined> {
  return (await tx.query<{ id: string }>(DELETED_CLAIM, [afterMs / 1_000, [...heldUp]]))[0]?.id;
}

/** As if it had been deleted so much later: what was under way has its time ($2) before the hour is over. */
const DELETED_PUT_OFF = `
  update account set deleted_at = now() + interval '1 hour' - make_interval(secs => $2)
  where id = $1 and deleted_at is not null`;

/** Lets a deleted account wait for an hour before it is claimed again, which is otherwise `afterMs` after it was deleted. */
export async function putOffDeletedAccount(store: Queryable, accountId: string, afterMs: number): Promise<void> {
  await store.query(DELETED_PUT_OFF, [accountId, afterMs / 1_000]);
}

/**
 * None waits for longer than an hour. A time that lies further ahead was written before the database's clock was set back. How long ago that
 * was nobody knows, so what was under way then has its time from now on.
 */
const DELETED_HASTEN = `
  update account set deleted_at = now() where ctid = any(array(
    select ctid from account where deleted_at > now() + interval '1 hour' limit 1000 for update skip locked))
  returning 1 as hastened`;

/** Has some deleted accounts erased that wait for a time of a clock that was wrong; returns how many. */
export async function hastenDeletedAccounts(store: Queryable): Promise<number> {
  return (await store.query(DELETED_HASTEN)).length;
}

/**
 * Every table with an account's data, read from the catalogue so that a table of a later migration is never forgotten.
 * The audit log is the platform's own and stays. So do tables that are not ours: those in another schema, and those whose
 * `account_id` is no UUID.
 * Last names first, so that `message_statistics_due` comes before `message_statistics`: a counting under way deletes from the
 * first and inserts into the second. Deleting from the first waits for its locks, and its new rows in the second are seen then.
 */
const ACCOUNT_TABLES = `
  select quote_ident(c.relname) as name from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attname = 'account_id' and a.atttypid = 'uuid'::regtype
  where c.relkind in ('r', 'p') and not c.relispartition and c.relname <> 'audit'
    and c.relnamespace = (select relnamespace from pg_class where oid = to_regclass('account'))
  order by c.relname desc`;

export async function listAccountTables(tx: Queryable): Promise<string[]> {
  return (await tx.query<{ name: string }>(ACCOUNT_TABLES)).map(({ name }) => name);
}

/** Rows of two partitions may have the same `ctid`; that only makes a batch larger, and never touches another account. */
const rowsDelete = (table: string) => `
  delete from ${table} where account_id = $1 and ctid = any(array(
    select ctid from ${table} where account_id = $1 limit $2)) returning 1 as gone`;

/** Deletes some rows of a table and returns how many. `table` is a name of `listAccountTables`. */
export async function deleteRows(tx: Queryable, table: string, accountId: string, limit: number): Promise<number> {
  return (await tx.query(rowsDelete(table), [accountId, limit])).length;
}

const ACCOUNT_DELETE = 'delete from account where id = $1';

export async function deleteAccountRow(tx: Queryable, accountId: string): Promise<void> {
  await tx.query(ACCOUNT_DELETE, [accountId]);
}
