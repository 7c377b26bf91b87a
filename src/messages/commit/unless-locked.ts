import type { Logger } from 'pino';
import { formatId } from '../../kernel/ids.ts';
import type { Database, Transaction } from '../../store/database.ts';
import { isLockTimeout, limitLockWaits } from '../../store/lock-timeout.ts';

/** A request that is settled or taken back after all, and how long that waits for each lock. */
interface Late {
  requestId: string;
  lockWaitMs: number;
  log: Logger;
}

/**
 * Does the work for a request in a transaction, unless it needs a row that somebody keeps locked: then it is left to the next round, and
 * holds up no other request. undefined: it is left.
 */
export async function unlessLocked<T>(
  database: Database,
  { requestId, lockWaitMs, log }: Late,
  work: (tx: Transaction) => Promise<T>,
): Promise<T | undefined> {
  try {
    return await database.transaction(async (tx) => {
      await limitLockWaits(tx, lockWaitMs);
      return work(tx);
    });
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    log.warn({ err: error, request_id: formatId('req', requestId) }, 'request.recovery_put_off');
    return undefined;
  }
}
