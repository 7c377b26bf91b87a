import type { Mode } from '../kernel/principal.ts';
import type { Queryable } from '../store/database.ts';

export interface AccountRow {
  id: string;
  name: string;
  suspended_at: Date | null;
  created_at: Date;
}

export interface KeyRow {
  id: string;
  account_id: string;
  name: string;
  mode: Mode;
  scopes: string[] | null;
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
  created_at: Date;
}

export interface KeyWithAccountRow extends KeyRow {
  account_name: string;
  suspended_at: Date | null;
}

const ACCOUNT_INSERT = 'insert into account (id, name) values ($1, $2) returning id, name, suspended_at, created_at';

export async function insertAccount(tx: Queryable, id: string, name: string): Promise<AccountRow> {
  return one(await tx.query<AccountRow>(ACCOUNT_INSERT, [id, name]));
}

const ACCOUNT_SELECT = 'select id, name, suspended_at, created_at from account where id = $1';

export async function findAccount(store: Queryable, id: string): Promise<AccountRow | undefined> {
  return (await store.query<AccountRow>(ACCOUNT_SELECT, [id]))[0];
}

/** Newest first, because ids are UUIDv7. `$1` is the last id of the page before. */
const ACCOUNT_LIST = `
  select id, name, suspended_at, created_at from account
  where ($1::uuid is null or id < $1) order by id desc limit $2`;

export function listAccountRows(store: Queryable, before: string | null, limit: number): Promise<AccountRow[]> {
  return store.query<AccountRow>(ACCOUNT_LIST, [before, limit]);
}

const KEY_COLUMNS = 'id, account_id, name, mode, scopes, expires_at, revoked_at, last_used_at, created_at';

const KEY_INSERT = `
  insert into api_key (account_id, id, name, mode, sha256, scopes, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7) returning ${KEY_COLUMNS}`;

export interface NewKey {
  accountId: string;
  id: string;
  name: string;
  mode: Mode;
  sha256: Buffer;
  scopes: readonly string[] | null;
  expiresAt: Date | null;
}

export async function insertKey(tx: Queryable, key: NewKey): Promise<KeyRow> {
  const values = [key.accountId, key.id, key.name, key.mode, key.sha256, key.scopes, key.expiresAt];
  return one(await tx.query<KeyRow>(KEY_INSERT, values));
}

/** Revoked keys stay in the table for the audit, and are not listed. */
const KEY_LIST = `
  select ${KEY_COLUMNS} from api_key
  where account_id = $1 and revoked_at is null and ($2::uuid is null or id < $2) order by id desc limit $3`;

export function listKeyRows(
  store: Queryable,
  accountId: string,
  before: string | null,
  limit: number,
): Promise<KeyRow[]> {
  return store.query<KeyRow>(KEY_LIST, [accountId, before, limit]);
}

/** The door: finds the account by the hash of its key, so it is the one query that cannot name the account. */
const KEY_BY_HASH = `
  select k.id, k.account_id, k.name, k.mode, k.scopes, k.expires_at, k.revoked_at, k.last_used_at, k.created_at,
         a.name as account_name, a.suspended_at
  from api_key k join account a on a.id = k.account_id
  where k.sha256 = $1`;

export async function findKeyByHash(store: Queryable, sha256: Buffer): Promise<KeyWithAccountRow | undefined> {
  return (await store.query<KeyWithAccountRow>(KEY_BY_HASH, [sha256]))[0];
}

const AUDIT_INSERT = `
  insert into audit (id, account_id, actor, action, target, detail) values ($1, $2, $3, $4, $5, $6)`;

export interface AuditEntry {
  id: string;
  accountId: string | null;
  actor: string;
  action: string;
  target: string;
  detail: unknown;
}

/** Written in the transaction of the change that it tells of, so that neither is there without the other. */
export async function insertAudit(tx: Queryable, entry: AuditEntry): Promise<void> {
  const { id, accountId, actor, action, target, detail } = entry;
  await tx.query(AUDIT_INSERT, [id, accountId, actor, action, target, JSON.stringify(detail)]);
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
