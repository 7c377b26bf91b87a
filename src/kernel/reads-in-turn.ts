import type { SteadyClock } from './clock.ts';
import { createInTurn } from './in-turn.ts';
import { turnInTime } from './turn-in-time.ts';

/** An account whose last read took longer gets none of the places kept. */
const LONG_MS = 1_000;
/** One in so many places, and one at least, is kept for accounts whose last read was short. */
const KEPT_ONE_OF = 8;

/** Reads when its turn has come. Throws `unavailable` if that takes too long. */
export type ReadsInTurn = <Read>(accountId: string, read: () => Promise<Read>) => Promise<Read>;

interface Options {
  /** How many go on at once, of all accounts together. */
  atOnceMax(): number;
  /** How long one waits for its turn. */
  waitMs: number;
  clock: SteadyClock;
}

interface Waiting {
  accountId: string;
  begin(): void;
}

/**
 * For reads that may take long. Lets each account make one of them at a time, and all accounts together `atOnceMax()`. Some hold a
 * connection to the database, as a list of messages that few pass, which may read all messages of its account. Others hold the thread,
 * as a message of a mebibyte does for 50 ms. A key may ask for fifty of them a second: they took all connections or the whole thread, and
 * nobody could send. None waits for long, so the rates of the keys bound how many wait.
 *
 * A few accounts whose reads take seconds each would still have all the places, so they are not given all.
 */
export function createReadsInTurn({ atOnceMax, waitMs, clock }: Options): ReadsInTurn {
  const inTurn = createInTurn();
  const waiting = new Set<Waiting>();
  /** The accounts that have a place. */
  const reading = new Set<string>();
  /** The accounts whose last read was long. */
  const long = new Set<string>();

  function mayBegin(accountId: string): boolean {
    const places = atOnceMax();
    if (reading.size >= places) return false;
    const placesOfLong = Math.max(1, places - Math.ceil(places / KEPT_ONE_OF));
    return !long.has(accountId) || long.intersection(reading).size < placesOfLong;
  }

  function takePlace(accountId: string): Promise<void> {
    return new Promise((begin) => {
      waiting.add({ accountId, begin });
      givePlaces();
    });
  }

  /** Whoever has waited longest comes first, of those that may begin. */
  function givePlaces(): void {
    for (const one of waiting) {
      if (!mayBegin(one.accountId)) continue;
      waiting.delete(one);
      reading.add(one.accountId);
      one.begin();
    }
  }

  async function readTimed(accountId: string, read: () => Promise<unknown>): Promise<void> {
    const begunMs = clock.steadyMs();
    await read();
    if (clock.steadyMs() - begunMs > LONG_MS) long.add(accountId);
    else long.delete(accountId);
  }

  return (accountId, read) =>
    new Promise((resolve, reject) => {
      const isInTime = turnInTime(waitMs, 'Reads that were asked for before take too long.', reject);
      void inTurn(accountId, async () => {
        await takePlace(accountId);
        if (isInTime()) await readTimed(accountId, () => read().then(resolve, reject));
        reading.delete(accountId);
        givePlaces();
      });
    });
}
