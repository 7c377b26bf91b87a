import { createInTurn } from './in-turn.ts';
import { unavailable } from './unavailable.ts';

/** Reads when its turn has come. Throws `unavailable` if that takes too long. */
export type ReadsInTurn = <Read>(accountId: string, read: () => Promise<Read>) => Promise<Read>;

interface Limits {
  /** How many go on at once, of all accounts together. */
  atOnceMax(): number;
  /** How long one waits for its turn. */
  waitMs: number;
}

/**
 * For reads that may take long. Lets each account make one of them at a time, and all accounts together `atOnceMax()`. Some hold a
 * connection to the database, as a list of messages that few pass, which may read all messages of its account. Others hold the thread,
 * as a message of a mebibyte does for 50 ms. A key may ask for fifty of them a second: they took all connections or the whole thread, and
 * nobody could send. None waits for long, so the rates of the keys bound how many wait.
 */
export function createReadsInTurn({ atOnceMax, waitMs }: Limits): ReadsInTurn {
  const inTurn = createInTurn();
  const waiting: (() => void)[] = [];
  let taken = 0;

  async function takePlace(): Promise<void> {
    if (taken < atOnceMax()) taken += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  }

  function givePlace(): void {
    const next = waiting.shift();
    if (next === undefined) taken -= 1;
    else next();
  }

  return (accountId, read) =>
    new Promise((resolve, reject) => {
      let gaveUp = false;
      const timer = setTimeout(() => {
        gaveUp = true;
        reject(unavailable('Reads that were asked for before take too long.'));
      }, waitMs);
      void inTurn(accountId, async () => {
        await takePlace();
        clearTimeout(timer);
        if (!gaveUp) await read().then(resolve, reject);
        givePlace();
      });
    });
}
