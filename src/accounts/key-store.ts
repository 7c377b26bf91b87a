import { byPlace } from '../kernel/by-place.ts';
import type { Mode } from '../kernel/principal.ts';
import type { Queryable } from '../store/database.ts';

export interface KeyRow {
  id: string;
  account_id: string;
  name: string;
  mode: Mode;
  scopes: string[] | null;
  expires_at: Date | null;
  rolled_at: Date | null;
  last_used_at: Date | null;
  created_at: Date;
}

export interface KeyWithAccountRow extends Omit<KeyRow, 'rolled_at' | 'last_used_at' | 'created_at'> {
  account_name: string;
  suspended_at: Date | null;
  /** Until it expires, and below 0 afterwards; null: it never does. */
  valid_seconds: number | null;
}

const KEY_COLUMNS = 'id, account_id, name, mode, scopes, expires_at, rolled_at, last_used_at, created_at';

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
  const [row] = await tx.query<KeyRow>(KEY_INSERT, values);
  if (row === undefined) throw new Error('An insert that returns one row returned none');
  return row;
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

/**
 * The door: finds the account by the hash of its key, so it cannot name the account. How long a key
 * is still valid is asked of the database, whose clock is the same for every node.
 */
const KEYS_BY_HASH = `
  select w.place::integer as place, k.id, k.account_id, k.name, k.mode, k.scopes, k.expires_at,
    a.name as account_name, a.suspended_at,
    extract(epoch from k.expires_at - now())::double precision as valid_seconds
  from unnest($1::bytea[]) with ordinality as w(sha256, place)
  cross join lateral (select * from api_key where sha256 = w.sha256 and revoked_at is null limit 1) k
  cross join lateral (select * from account where id = k.account_id and deleted_at is null limit 1) a`;

/** The key of each hash, in their order; undefined: there is none, or it was revoked or its account deleted. */
export async function findKeysByHash(
  store: Queryable,
  hashes: readonly Buffer[],
): Promise<(KeyWithAccountRow | undefined)[]> {
  const rows = await store.query<KeyWithAccountRow & { place: number }>(KEYS_BY_HASH, [hashes]);
  return byPlace(rows, hashes.length);
}

/** For the platform, which names a key by its id alone. A key that is no longer valid has nothing left to end. */
const KEY_REVOKE = `
  update api_key set revoked_at = now() where id = $1 and revoked_at is null returning ${KEY_COLUMNS}`;

/** undefined: there is no such key, or it was revoked before. */
export async function revokeKeyRow(tx: Queryable, id: string): Promise<KeyRow | undefined> {
  return (await tx.query<KeyRow>(KEY_REVOKE, [id]))[0];
}

/** The key as it was before, which its successor takes after. A key is rolled once, and only while it is valid. */
const KEY_RETIRE = `
  with before as (
    select * from api_key
    where id = $1 and revoked_at is null and rolled_at is null and (expires_at is null or expires_at > now())
    for no key update
  ), retired as (
    update api_key k set rolled_at = now(),
      expires_at = least(k.expires_at, now() + make_interval(secs => $2))
    from before b where k.account_id = b.account_id and k.id = b.id
  )
  select ${KEY_COLUMNS} from before`;

/** Lets a key expire after the overlap. undefined: there is no such key, or it is valid no more or was rolled before. */
export async function retireKeyRow(tx: Queryable, id: string, overlapSeconds: number): Promise<KeyRow | undefined> {
  return (await tx.query<KeyRow>(KEY_RETIRE, [id, overlapSeconds]))[0];
}

const KEYS_REVOKE_ALL = 'update api_key set revoked_at = now() where account_id = $1 and revoked_at is null';

export async function revokeAllKeys(tx: Queryable, accountId: string): Promise<void> {
  await tx.query(KEYS_REVOKE_ALL, [accountId]);
}

/** A key was used. */
export interface KeyUse {
  accountId: string;
  keyId: string;
}

/**
 * A busy key is written once a minute, however many nodes it is used on. What another node is writing at this moment is left
 * to it, so that two nodes cannot deadlock. The time is the database's: that of a node whose clock is ahead would keep all others from
 * writing until then. One that lies ahead was written before the database's clock was set back.
 */
const KEY_NOTE_USE = `
  with used as (
    select k.account_id, k.id from unnest($1::uuid[], $2::uuid[]) as u(account_id, id)
    join api_key k on k.account_id = u.account_id and k.id = u.id
    where k.last_used_at is null or not k.last_used_at between now() - interval '1 minute' and now() + interval '1 minute'
    for no key update of k skip locked
  )
  update api_key k set last_used_at = now() from used where k.account_id = used.account_id and k.id = used.id`;

export async function noteKeyUses(store: Queryable, uses: readonly KeyUse[]): Promise<void> {
  await store.query(KEY_NOTE_USE, [uses.map(({ accountId }) => accountId), uses.map(({ keyId }) => keyId)]);
}
