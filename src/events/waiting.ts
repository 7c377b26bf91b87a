import { ApiError } from '../kernel/errors.ts';
import { createRoom, type RoomLimits } from '../kernel/room.ts';
import { unavailable } from '../kernel/unavailable.ts';

/**
 * Each of them holds a connection for as long as its caller likes, and connections are what all accounts share: without a limit
 * one of them could open streams until nobody else could connect.
 */
const LIMITS: RoomLimits = { placesMax: 10_000, ofAccountMax: 1_000 };

/** The calls that wait for events on one gateway: streams, and feed reads that are held back. */
export interface Waiting {
  /**
   * Takes a place, and returns what gives it back. Throws `rate_limited` where the account has as many as it may, and
   * `unavailable` where too many of all accounts wait.
   */
  take(accountId: string): () => void;
}

export function createWaiting(limits = LIMITS): Waiting {
  const room = createRoom(limits);
  return {
    take(accountId) {
      const entered = room.enter(accountId);
      if (entered === 'full') throw unavailable('Too many calls wait for events.', { retryAfterSeconds: 5 });
      if (entered === 'account_full')
        throw new ApiError(
          'rate_limited',
          `At most ${limits.ofAccountMax} calls of an account wait for events at once.`,
          {
            headers: { 'retry-after': '5' },
          },
        );
      return () => room.leave(accountId);
    },
  };
}
