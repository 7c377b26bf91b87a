import type { Database } from '../store/database.ts';
import { eraseDeletedAccount } from './delete-account.ts';
import { eraseSome } from './erase-person.ts';

/** A round ends after so many batches even if there is more to do, so that a stop never waits for long. */
const BATCHES_A_ROUND = 50;

/**
 * Goes on with what is to be erased, and returns how many batches that were. Any number of nodes may do it at once.
 * `settledMs` after it was asked for, all that was under way then is written: see `settledAfterMs`.
 */
export async function eraseRound(database: Database, settledMs: number): Promise<number> {
  let batches = 0;
  for (const eraseBatch of [eraseDeletedAccount, eraseSome])
    for (let batch = 0; batch < BATCHES_A_ROUND && (await eraseBatch(database, settledMs)); batch++) batches++;
  return batches;
}
