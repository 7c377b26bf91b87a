import { createInTurn } from '../../kernel/in-turn.ts';
import { unavailable } from '../../kernel/unavailable.ts';

/** Reads a list when its turn has come. Throws `unavailable` if that takes too long. */
export type ListsInTurn = <Rows>(accountId: string, read: () => Promise<Rows>) => Promise<Rows>;

interface Limits {
  /** How many are read at once, of all accounts together. */
  atOnceMax(): number;
  /** How long one waits for its turn. */
  waitMs: number;
}

/**
 * Lets each account read one list of messages at a time, and all accounts together `atOnceMax()`. A filter that few messages pass may read all
 * messages of its account, for a second or more, and a key may ask for fifty such lists a second. They took all connections to the
 * database, and nobody could send. None waits for long, so the rates of the keys bound how many wait.
 */
export function createListsInTurn({ atOnceMax, waitMs }: Limits): ListsInTurn {
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
        reject(unavailable('Lists of messages that were asked for before take too long.'));
      }, waitMs);
      void inTurn(accountId, async () => {
        await takePlace();
        clearTimeout(timer);
        if (!gaveUp) await read().then(resolve, reject);
        givePlace();
      });
    });
}
