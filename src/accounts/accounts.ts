import { appendEvents } from '../events/store.ts';
import { newId } from '../kernel/ids.ts';
import type { Database, Queryable, Transaction } from '../store/database.ts';
import { type AuditEntry, insertAudit, PLATFORM } from './audit-store.ts';
import { presentAccount } from './present.ts';
import { type AccountRow, insertAccount, lockAccount, updateAccount } from './store.ts';

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
    const audit: AuditEntry = {
      accountId: account.id,
      actor,
      action: 'account.created',
      target: account.id,
      detail: { name },
    };
    await insertAudit(tx, audit);
    return account;
  });
}

export interface AccountChange {
  accountId: string;
  name?: string | undefined;
  suspended?: boolean | undefined;
}

/**
 * Renames, suspends or resumes an account; undefined: there is none. A suspended account may only read: every node
 * knows as soon as it asks for the key again. Its customers are told by an event in both modes.
 */
export function changeAccount(database: Database, change: AccountChange): Promise<AccountRow | undefined> {
  const { accountId } = change;
  return database.transaction(async (tx) => {
    const before = await lockAccount(tx, accountId);
    if (before === undefined) return undefined;
    const wasSuspended = before.suspended_at !== null;
    const { name = before.name, suspended = wasSuspended } = change;
    const detail = { ...(name !== before.name && { name }), ...(suspended !== wasSuspended && { suspended }) };
    if (Object.keys(detail).length === 0) return before;
    const account = await updateAccount(tx, accountId, name, suspended);
    await insertAudit(tx, { accountId, actor: PLATFORM, action: 'account.updated', target: accountId, detail });
    if (suspended !== wasSuspended) await tellAccount(tx, account);
    return account;
  });
}

async function tellAccount(tx: Transaction, account: AccountRow): Promise<void> {
  const data = { account: presentAccount(account) };
  const event = { accountId: account.id, type: 'account.updated' as const, data, traceparent: null };
  await appendEvents(tx, [
    { ...event, mode: 'live' },
    { ...event, mode: 'test' },
  ]);
}
