import { formatId, newId } from '../kernel/ids.ts';
import type { Mode } from '../kernel/principal.ts';
import type { Database, Queryable } from '../store/database.ts';
import { hashApiKey, mintApiKey } from './api-key.ts';
import { type AuditAction, insertAudit, PLATFORM } from './audit-store.ts';
import { insertKey, type KeyRow, retireKeyRow, revokeKeyRow } from './key-store.ts';

export interface KeyWish {
  accountId: string;
  name: string;
  mode: Mode;
  /** null: all. */
  scopes: readonly string[] | null;
  expiresAt: Date | null;
  actor: string;
}

/** A key as it was just made: the key itself is nowhere else, because nothing but its hash is stored. */
export interface MintedKey {
  key: string;
  row: KeyRow;
}

export function createKey(database: Database, wish: KeyWish): Promise<MintedKey> {
  return database.transaction(async (tx) => {
    const minted = await mint(tx, wish);
    const { name, mode, scopes, expiresAt } = wish;
    await note(tx, minted.row, wish.actor, 'key.created', { name, mode, scopes, expires_at: expiresAt });
    return minted;
  });
}

/**
 * Makes a new key that is like the old one, which stays valid for the overlap. undefined: there is no such key that is
 * valid and was not rolled before.
 */
export function rollKey(database: Database, keyId: string, overlapSeconds: number): Promise<MintedKey | undefined> {
  return database.transaction(async (tx) => {
    const old = await retireKeyRow(tx, keyId, overlapSeconds);
    if (old === undefined) return undefined;
    const { account_id: accountId, name, mode, scopes, expires_at: expiresAt } = old;
    const minted = await mint(tx, { accountId, name, mode, scopes, expiresAt });
    const successor = formatId('key', minted.row.id);
    await note(tx, old, PLATFORM, 'key.rolled', { successor, overlap_seconds: overlapSeconds });
    return minted;
  });
}

/** Ends a key at once. False: there is no such key, or it was revoked before. */
export function revokeKey(database: Database, keyId: string): Promise<boolean> {
  return database.transaction(async (tx) => {
    const revoked = await revokeKeyRow(tx, keyId);
    if (revoked === undefined) return false;
    await note(tx, revoked, PLATFORM, 'key.revoked', { name: revoked.name });
    return true;
  });
}

async function mint(tx: Queryable, wish: Omit<KeyWish, 'actor'>): Promise<MintedKey> {
  const key = mintApiKey(wish.mode);
  return { key, row: await insertKey(tx, { ...wish, id: newId(), sha256: hashApiKey(key) }) };
}

async function note(tx: Queryable, key: KeyRow, actor: string, action: AuditAction, detail: object): Promise<void> {
  const target = formatId('key', key.id);
  await insertAudit(tx, { accountId: key.account_id, actor, action, target, detail });
}
