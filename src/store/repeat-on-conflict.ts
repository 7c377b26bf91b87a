import { setTimeout as wait } from 'node:timers/promises';
import { StoreUnavailable } from '../kernel/store-unavailable.ts';
import { isPassingFailure } from './passing-failure.ts';

/** A transaction that loses to others this often does not lose by chance. */
const TRIES_MAX = 3;
/**
 * The other one goes on first. Repeated at once, the transaction may take the lock again that the other one has been waiting for, before
 * the server has woken it, and close the same circle.
 */
const PAUSE_MS = 50;

/**
 * Runs a transaction, and runs it again if the server rolled it back because it and another one got in each other's way. Only for work
 * that has no effect outside of its transaction. A store that is away is not waited for: the caller is told at once.
 */
export async function repeatOnConflict<T>(transaction: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await transaction();
    } catch (error) {
      if (tries === TRIES_MAX || error instanceof StoreUnavailable || !isPassingFailure(error)) throw error;
      await wait(PAUSE_MS * tries);
    }
  }
}
