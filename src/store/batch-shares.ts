import { errorCodeOf } from '../kernel/error-code.ts';
import { StoreUnavailable } from '../kernel/store-unavailable.ts';

const QUERY_CANCELED = '57014';
/** One row of the largest batches, which have 5,000. */
const LEAST_SHARE = 2 ** -13;
/** Slowly, because whoever fails rests until its next round. */
const GROWTH = 1.1;

/** Which part of its usual size a batch may have, by what it is a batch of. */
export interface BatchShares {
  /** Does one batch. `share`, above 0 and at most 1, is for `work` to multiply its usual size with. */
  take<T>(name: string, work: (share: number) => Promise<T>): Promise<T>;
}

/**
 * Batches have so many rows or blocks, and nobody knows how many bytes are in them. One whose statement runs into its time limit would do
 * so again and again. So the next one of its name takes half as much, and each that goes through lets the next one take a tenth more.
 * A lock that somebody holds for long looks the same, and costs some small batches afterwards.
 */
export function createBatchShares(): BatchShares {
  const shares = new Map<string, number>();
  return {
    async take(name, work) {
      const share = shares.get(name) ?? 1;
      try {
        const result = await work(share);
        if (share * GROWTH < 1) shares.set(name, share * GROWTH);
        else shares.delete(name);
        return result;
      } catch (error) {
        if (isOverTime(error)) shares.set(name, Math.max(share / 2, LEAST_SHARE));
        throw error;
      }
    },
  };
}

function isOverTime(error: unknown): boolean {
  return error instanceof StoreUnavailable && errorCodeOf(error.cause) === QUERY_CANCELED;
}
