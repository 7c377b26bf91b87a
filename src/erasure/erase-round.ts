import { createBatchShares } from '../store/batch-shares.ts';
import type { Database } from '../store/database.ts';
import { doEach } from '../store/do-each.ts';
import { isPassingFailure } from '../store/passing-failure.ts';
import { eraseDeletedAccount } from './delete-account.ts';
import { eraseSome } from './erase-person.ts';

/** A round does so many batches of each kind, even if there is more to do: accounts must not hold up persons. */
const BATCHES_A_ROUND = 50;

/**
 * Goes on with what is to be erased, and returns how many batches that were. Any number of nodes may do it at once.
 * An account with a row that somebody keeps locked is passed over for the rest of the round, which fails at its end.
 * `settledMs`: see `settledAfterMs`. Once `closing` is aborted it ends after the batch under way. `shares` are by account, of the
 * batches of deleted accounts; those of persons end by their bytes.
 */
export async function eraseRound(
  database: Database,
  settledMs: number,
  closing?: AbortSignal,
  shares = createBatchShares(),
): Promise<number> {
  let batches = 0;
  const eraseInBatches = async (eraseBatch: typeof eraseDeletedAccount) => {
    const heldUp = new Set<string>();
    const failures: unknown[] = [];
    for (let batch = 0; batch < BATCHES_A_ROUND; batch++) {
      if (closing?.aborted === true) break;
      const heldUpBefore = heldUp.size;
      try {
        if (!(await eraseBatch(database, settledMs, heldUp, shares))) break;
        batches++;
      } catch (error) {
        // Where no account was held up, it is the store that is away.
        if (!isPassingFailure(error) || heldUp.size === heldUpBefore) throw error;
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  };
  await doEach([eraseDeletedAccount, eraseSome].map((eraseBatch) => () => eraseInBatches(eraseBatch)));
  return batches;
}
