import type { Logger } from 'pino';
import type { Transaction } from '../store/database.ts';
import { isLockTimeout } from '../store/lock-timeout.ts';
import { isPassingFailure } from '../store/passing-failure.ts';
import { applyItems } from './apply-items.ts';
import type { ItemWork } from './collect-effects.ts';
import type { Leftover } from './reason.ts';

/**
 * Applies items one by one, each in a savepoint, so that a poisoned one is left over alone, and so is one that waits for
 * somebody's lock. Slow, and used only for a notification that has failed as a whole.
 */
export async function applySingly(
  tx: Transaction,
  works: readonly ItemWork[],
  messagesFromMs: (databaseMs: number) => number,
  log: Logger,
): Promise<Map<number, Leftover>> {
  const left = new Map<number, Leftover>();
  for (const [place, work] of works.entries()) {
    await tx.runScript('savepoint item');
    try {
      const leftover = (await applyItems(tx, [work], messagesFromMs)).get(0);
      await tx.runScript('release savepoint item');
      if (leftover !== undefined) left.set(place, leftover);
    } catch (error) {
      if (isPassingFailure(error)) throw error;
      await tx.runScript('rollback to savepoint item');
      const isLocked = isLockTimeout(error);
      if (!isLocked) log.error({ err: error, kind: work.item.label }, 'notification.item_failed');
      left.set(place, isLocked ? 'locked' : 'failed');
    }
  }
  return left;
}
