import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import { StoreUnavailable } from '../kernel/store-unavailable.ts';
import { isChangeRefused } from '../store/change-refused.ts';
import type { Database, Transaction } from '../store/database.ts';
import { isLockTimeout, limitLockWaits } from '../store/lock-timeout.ts';
import { PARTED_TABLES } from '../store/parted-tables.ts';
import { isPassingFailure } from '../store/passing-failure.ts';
import { isTableGone } from '../store/table-gone.ts';
import { holdStrays, isStrayInTheWay, makePartitions } from './store.ts';

/** Under load the lock is free within moments. What holds it for longer, such as a backup, is not waited for. */
const TRIES = 5;
const PAUSE_MS = 300;
/**
 * Rows that fell into no week are moved in one transaction, because between two nobody would see them. 100,000 rows a second are
 * moved on a small machine, and a start that gave up before the last one would never get past it.
 */
const MOVE_TIMEOUT_MS = 600_000;

/**
 * Makes the partitions that will be needed, one transaction a table: one that locked two tables could deadlock with
 * statements that use both. A table whose lock is not free is put off to the next round, and so are all while the database refuses
 * changes of its schema. That does no harm: the weeks are made well ahead, and rows that fall into none go into the default partition and
 * are moved when their week is made.
 * Writers of such rows have to wait only after one has got in the way, because there is hardly ever one.
 */
export async function makeWeeks(database: Database, log: Logger): Promise<void> {
  for (const parent of PARTED_TABLES) await makeWeeksOf(database, parent, log);
}

async function makeWeeksOf(database: Database, parent: string, log: Logger): Promise<void> {
  let alone = false;
  for (let tries = 1; ; tries++) {
    try {
      const make = async (tx: Transaction) => {
        await limitLockWaits(tx);
        if (alone) await holdStrays(tx, parent);
        await makePartitions(tx, parent);
      };
      return await database.transaction(make, { statementTimeoutMs: MOVE_TIMEOUT_MS });
    } catch (error) {
      const met = isStrayInTheWay(error);
      const refused = isChangeRefused(error);
      // Another gateway may drop a week after this statement has found it.
      if (!isPassingFailure(error) && !isLockTimeout(error) && !isTableGone(error) && !met && !refused) throw error;
      alone ||= met;
      if (tries < TRIES && !refused) await wait(PAUSE_MS);
      else if (error instanceof StoreUnavailable) throw error;
      else return log.warn({ err: error, table: parent }, 'partitions.put_off');
    }
  }
}
