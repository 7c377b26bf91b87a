import { DatabaseError } from 'pg';

const LOCK_NOT_AVAILABLE = '55P03';

/** Whether a statement gave up because it did not get its locks within the transaction's `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === LOCK_NOT_AVAILABLE;
}
