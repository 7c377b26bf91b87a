import type { Queryable } from '../store/database.ts';

export interface AccountRow {
  id: string;
  name: string;
  suspended_at: Date | null;
  created_at: Date;
}

const ACCOUNT_INSERT = 'insert into account (id, name) values ($1, $2) returning id, name, suspended_at, created_at';

export async function insertAccount(tx: Queryable, id: string, name: string): Promise<AccountRow> {
  return one(await tx.query<AccountRow>(ACCOUNT_INSERT, [id, name]));
}

/** An account that is being deleted is nowhere to be seen. */
const ACCOUNT_SELECT = `
  select id, name, suspended_at, created_at from account where id = $1 and deleted_at is null`;

export async function findAccount(store: Queryable, id: string): Promise<AccountRow | undefined> {
  return (await store.query<AccountRow>(ACCOUNT_SELECT, [id]))[0];
}

/** Newest first, because ids are UUIDv7. `$1` is the last id of the page before. */
const ACCOUNT_LIST = `
  select id, name, suspended_at, created_at from account
  where deleted_at is null and ($1::uuid is null or id < $1) order by id desc limit $2`;

export function listAccountRows(store: Queryable, before: string | null, limit: number): Promise<AccountRow[]> {
  return store.query<AccountRow>(ACCOUNT_LIST, [before, limit]);
}

const ACCOUNT_LOCK = `${ACCOUNT_SELECT} for no key update`;

/** The same, and nobody else changes it until the end of the transaction. */
export async function lockAccount(tx: Queryable, id: string): Promise<AccountRow | undefined> {
  return (await tx.query<AccountRow>(ACCOUNT_LOCK, [id]))[0];
}

const ACCOUNT_HOLD = 'select id from account where id = $1 and deleted_at is null for share';

/** Whether it is there. Then nobody begins to delete it until the end of the transaction. */
export async function holdAccount(tx: Queryable, id: string): Promise<boolean> {
  return (await tx.query(ACCOUNT_HOLD, [id])).length > 0;
}

const ACCOUNT_UPDATE = `
  update account set name = $2, suspended_at = case when $3 then coalesce(suspended_at, now()) end
  where id = $1 returning id, name, suspended_at, created_at`;

export async function updateAccount(tx: Queryable, id: string, name: string, suspended: boolean): Promise<AccountRow> {
  return one(await tx.query<AccountRow>(ACCOUNT_UPDATE, [id, name, suspended]));
}

const ACCOUNT_DELETE = `
  update account set deleted_at = now() where id = $1 and deleted_at is null
  returning id, name, suspended_at, created_at`;

/** undefined: there is no such account, or it is being deleted already. */
export async function markAccountDeleted(tx: Queryable, id: string): Promise<AccountRow | undefined> {
  return (await tx.query<AccountRow>(ACCOUNT_DELETE, [id]))[0];
}

/** The first start keeps its own; every later one gets that. */
const MASTER_KEY_CHECK_KEEP = `
  with kept as (insert into master_key_check (sealed) values ($1) on conflict do nothing returning sealed)
  select sealed from kept union all select sealed from master_key_check limit 1`;

export async function keepMasterKeyCheck(store: Queryable, sealed: Buffer): Promise<Buffer> {
  // Of two first starts at once the second one may see no row yet in its first look.
  const find = async () => (await store.query<{ sealed: Buffer }>(MASTER_KEY_CHECK_KEEP, [sealed]))[0];
  return one([(await find()) ?? (await find())].filter((row) => row !== undefined)).sealed;
}

function one<Row>(rows: Row[]): Row {
  const [row] = rows;
  if (row === undefined) throw new Error('A statement that returns one row returned none');
  return row;
}
