import { setTimeout as wait } from 'node:timers/promises';
import { createInTurn } from '../kernel/in-turn.ts';
import { createRoom, type RoomLimits } from '../kernel/room.ts';
import { turnInTime } from '../kernel/turn-in-time.ts';
import { unavailable } from '../kernel/unavailable.ts';

/**
 * A smaller body takes some milliseconds at most, however it is made, and waits for nothing. One of 64 KiB takes 15 to 30: where one number must
 * keep its digits, or where each of thousands of recipients cannot be read.
 */
export const LARGE_BYTES_MIN = 16 << 10;
/** One place for each 16 KiB begun: 16 MiB of an account, and 32 MiB of all, so that the last in line waits for seconds at most. */
const LIMITS: RoomLimits = { placesMax: 2_048, ofAccountMax: 1_024 };
/** After each body the line rests so many times as long as the body took. The rest of the thread's time is for all other calls. */
const REST_TIMES = 2;
/**
 * And no longer than this. A body that took longer stood still with the machine, and its rest alone would make the next one of a caller who
 * posts one after another too late.
 */
const REST_MAX_MS = 3_000;
/**
 * As long as a read waits for its turn. In its turn the key of a call is looked at once more, and a store that hangs takes five seconds for
 * that, of one call after the other; a send is to be answered in 25.
 */
const WAIT_MS = 10_000;
const OF_ALL = 'all';

/** A call with a large body. */
export interface LargeCall<Result> {
  accountId: string;
  bytes: number;
  /** What must be looked at when its turn has come, because it may have waited. */
  ready(): Promise<void>;
  /** Takes the body apart before it waits for anything. Only that is counted. */
  begin(): Promise<Result>;
}

/** Resolves and rejects as the call does. Throws `unavailable` where too much waits, or if its turn does not come in time. */
export type LargeBodies = <Result>(call: LargeCall<Result>) => Promise<Result>;

/**
 * Lets large bodies be taken apart one after another, with one place in the line for each account. A mebibyte that is made for it takes a
 * tenth of a second, in which nothing else goes on. A key may post fifty of them a second, and so took the gateway from everybody.
 */
export function createLargeBodies(limits = LIMITS, waitMs = WAIT_MS): LargeBodies {
  const room = createRoom(limits);
  const inTurn = createInTurn();
  return async ({ accountId, bytes, ready, begin }) => {
    const places = Math.ceil(bytes / LARGE_BYTES_MIN);
    if (room.enter(accountId, places) !== 'entered') throw unavailable('Too many large bodies wait to be read.');
    return new Promise((resolve, reject) => {
      const isInTime = turnInTime(waitMs, 'Large bodies that came before take too long.', reject);
      const turn = async () => {
        let tookMs = 0;
        try {
          if (!isInTime()) return;
          await ready();
          const begunMs = performance.now();
          try {
            // What follows of it is not waited for here.
            resolve(begin());
          } finally {
            tookMs = performance.now() - begunMs;
          }
        } catch (error) {
          reject(error);
        } finally {
          room.leave(accountId, places);
        }
        await wait(Math.min(tookMs * REST_TIMES, REST_MAX_MS));
      };
      void inTurn(accountId, () => inTurn(OF_ALL, turn));
    });
  };
}
