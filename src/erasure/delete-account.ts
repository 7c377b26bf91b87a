import { type AuditEntry, insertAudit, PLATFORM } from '../accounts/audit-store.ts';
import { revokeAllKeys } from '../accounts/key-store.ts';
import { markAccountDeleted } from '../accounts/store.ts';
import { removeChannels } from '../channels/store.ts';
import { detachInboundIds } from '../messages/report/inbound-store.ts';
import { createBatchShares } from '../store/batch-shares.ts';
import type { Database, Queryable } from '../store/database.ts';
import { isPassingFailure } from '../store/passing-failure.ts';
import {
  claimDeletedAccount,
  deleteAccountRow,
  deleteRows,
  disableEndpoints,
  listAccountTables,
  putOffDeletedAccount,
} from './account-store.ts';

/** Short enough that nobody waits for its locks. */
const ROWS_A_BATCH = 5_000;

/**
 * Ends an account: its keys are refused and its channels removed at once, and nothing more goes to its endpoints. Its data
 * are erased afterwards by `eraseDeletedAccount`. Returns the ids of the endpoints that this has turned off; undefined: there is no
 * such account.
 */
export function deleteAccount(database: Database, accountId: string): Promise<string[] | undefined> {
  return database.transaction(async (tx) => {
    const account = await markAccountDeleted(tx, accountId);
    if (account === undefined) return undefined;
    await revokeAllKeys(tx, accountId);
    await removeChannels(tx, accountId, null);
    const endpointIds = await disableEndpoints(tx, accountId);
    const audit: AuditEntry = { accountId, actor: PLATFORM, action: 'account.deleted', target: accountId, detail: {} };
    await insertAudit(tx, audit);
    return endpointIds;
  });
}

/**
 * Erases one batch of what is left of an account that was deleted at least `settledMs` ago, and at last the account itself. False:
 * there is nothing to do. Accounts in `heldUp` are passed over; if this fails, the account that it was at work on is in it too.
 * `shares` are by account.
 *
 * If it fails for a reason that does not pass, that ends the process, and the account is put off first, as the erasures of persons are: one
 * account that cannot be erased, such as one that a table of the operator's refers to, would end every gateway as soon as it has started.
 */
export async function eraseDeletedAccount(
  database: Database,
  settledMs: number,
  heldUp = new Set<string>(),
  shares = createBatchShares(),
): Promise<boolean> {
  let atWorkOn: string | undefined;
  try {
    return await database.transaction(async (tx) => {
      const accountId = await claimDeletedAccount(tx, settledMs, heldUp);
      if (accountId === undefined) return false;
      atWorkOn = accountId;
      heldUp.add(accountId);
      await shares.take(accountId, (share) => eraseBatchOf(tx, accountId, Math.ceil(ROWS_A_BATCH * share)));
      heldUp.delete(accountId);
      return true;
    });
  } catch (error) {
    if (atWorkOn !== undefined && !isPassingFailure(error)) await putOffDeletedAccount(database, atWorkOn, settledMs);
    throw error;
  }
}

async function eraseBatchOf(tx: Queryable, accountId: string, rows: number): Promise<void> {
  if ((await detachInboundIds(tx, accountId, rows)) > 0) return;
  for (const table of await listAccountTables(tx)) if ((await deleteRows(tx, table, accountId, rows)) > 0) return;
  await deleteAccountRow(tx, accountId);
  const audit: AuditEntry = { accountId, actor: PLATFORM, action: 'account.erased', target: accountId, detail: {} };
  await insertAudit(tx, audit);
}
