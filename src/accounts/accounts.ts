import { newId } from '../kernel/ids.ts';
import type { Mode, Scope } from '../kernel/principal.ts';
import type { Database, Queryable } from '../store/database.ts';
import { hashApiKey, mintApiKey } from './api-key.ts';
import { type AccountRow, insertAccount, insertAudit, insertKey, type KeyRow } from './store.ts';

/** What else an account is born with, in the same transaction. */
export type AccountBirth = (tx: Queryable, accountId: string) => Promise<void>;

/** Creates an account with all that it is born with. `actor` is who is told in the audit log. */
export function createAccount(
  database: Database,
  { name, actor }: { name: string; actor: string },
  birth: AccountBirth,
): Promise<AccountRow> {
  return database.transaction(async (tx) => {
    const account = await insertAccount(tx, newId(), name);
    await birth(tx, account.id);
    const audit = { accountId: account.id, actor, action: 'account.created', target: account.id, detail: { name } };
    await insertAudit(tx, { id: newId(), ...audit });
    return account;
  });
}

export interface KeyWish {
  accountId: string;
  name: string;
  mode: Mode;
  /** null: all. */
  scopes: Scope[] | null;
  expiresAt: Date | null;
  actor: string;
}

/** Creates a key. The key itself is in the result only: nothing but its hash is stored. */
export async function createKey(database: Database, wish: KeyWish): Promise<{ key: string; row: KeyRow }> {
  const key = mintApiKey(wish.mode);
  const { accountId, name, mode, scopes, expiresAt, actor } = wish;
  const row = await database.transaction(async (tx) => {
    const created = await insertKey(tx, {
      accountId,
      id: newId(),
      name,
      mode,
      sha256: hashApiKey(key),
      scopes,
      expiresAt,
    });
    const detail = { name, mode, scopes, expires_at: expiresAt };
    await insertAudit(tx, { id: newId(), accountId, actor, action: 'key.created', target: created.id, detail });
    return created;
  });
  return { key, row };
}
