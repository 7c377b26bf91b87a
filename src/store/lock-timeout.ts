import { DatabaseError } from 'pg';
import type { Transaction } from './database.ts';

const LOCK_NOT_AVAILABLE = '55P03';
/** While a change of a table waits for its locks, everybody who comes later waits behind it. */
export const LOCK_WAIT_MS = 100;

/** A statement that waits longer for a lock gives up, so whoever waits for a lock of ours waits this long at most. */
export async function limitLockWaits(tx: Transaction, waitMs = LOCK_WAIT_MS): Promise<void> {
  await tx.runScript(`set local lock_timeout to ${waitMs}`);
}

/** Whether a statement gave up because it did not get its locks within the transaction's `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === LOCK_NOT_AVAILABLE;
}
