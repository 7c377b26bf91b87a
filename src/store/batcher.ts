import { StoreUnavailable } from '../kernel/store-unavailable.ts';
import { surelyRolledBack } from './rolled-back.ts';

/**
 * A flush that takes so long may hang by itself, on a connection that has died without a word, until its statement is given up.
 * What comes after it does not wait for that.
 */
const STALLED_MS = 2_000;
/** If two are stalled, the store itself is in trouble, and more flushes would only take the connections from everybody else. */
const STALLED_MAX = 1;

export interface BatcherOptions<Item, Result> {
  /**
   * Writes all items in one transaction, or in one statement, and gives one result for each, in the same order. It
   * must not throw after its commit. `isPart`: they are part of a flush that was refused.
   */
  flush(items: Item[], isPart: boolean): Promise<Result[]>;
  /** The most items in one flush. */
  itemsMax: number;
  /** The most weight in one flush, for items that differ in it. One that is heavier goes alone. */
  weightMax?: number;
  /** What an item weighs, asked when it is added; nothing, unless told. */
  weightOf?(item: Item): number;
  /** The most flushes at once, beside one that is stalled. Two: one fills while the other waits for its commit. */
  flushesMax?: number;
  /** A flush beside another one begins only when at least so many wait: a small one would cost more than it gains. */
  besideMin?: number;
  /** A flush begins no sooner than so long after the last one began; 0 unless told. */
  everyMs?: number;
}

export interface Batcher<Item, Result> {
  /** Settles once the flush that carries this item has; it fails only with this item's own error or the store's. */
  add(item: Item): Promise<Result>;
}

interface Entry<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Lets concurrent writers share commits: what is added while flushes are in flight goes together with the next one. One
 * flush that hangs does not keep it waiting for long, so flushes may also end in another order than they began in. A flush that
 * was refused is halved until the bad item is alone, so that it never spoils its batch. That is done only if the flush surely
 * wrote nothing, and not for a `StoreUnavailable`, which halves would only meet again.
 */
export function createBatcher<Item, Result>(options: BatcherOptions<Item, Result>): Batcher<Item, Result> {
  const { flush, itemsMax, flushesMax = 2, besideMin = 1, everyMs = 0 } = options;
  const waiting = createLine(options);
  const flights = createFlights(schedule);
  let scheduled = false;
  let notBeforeMs = 0;
  let timer: NodeJS.Timeout | undefined;

  function isDue(): boolean {
    const beside = flights.counted();
    return beside === 0 ? waiting.length() > 0 : beside < flushesMax && waiting.length() >= besideMin;
  }

  function schedule(): void {
    if (scheduled || !isDue()) return;
    const waitMs = waiting.length() >= itemsMax ? 0 : notBeforeMs - performance.now();
    if (waitMs > 0) {
      timer ??= setTimeout(start, waitMs);
      return;
    }
    scheduled = true;
    // All that arrives in this turn of the event loop goes together.
    setImmediate(start);
  }

  function start(): void {
    clearTimeout(timer);
    timer = undefined;
    scheduled = false;
    while (isDue()) {
      const land = flights.begin();
      notBeforeMs = performance.now() + everyMs;
      const entries = waiting.takeFitting();
      void flushEntries(flush, entries).then((tell) => finish(land, tell));
    }
  }

  /** The next flush goes first, so that the store works while this process goes on with what has just been written. */
  function finish(land: () => void, tell: () => void): void {
    land();
    if (everyMs === 0) start();
    else schedule();
    tell();
  }

  return {
    add: (item) =>
      new Promise((resolve, reject) => {
        waiting.add({ item, resolve, reject });
        schedule();
      }),
  };
}

/** Counts the flushes in flight. `onStalled` is told when one has stalled. */
function createFlights(onStalled: () => void) {
  let total = 0;
  let stalled = 0;
  return {
    /** How many there are, without one that is stalled. */
    counted: () => total - Math.min(stalled, STALLED_MAX),
    /** Returns what is to be called at its end. */
    begin(): () => void {
      total += 1;
      let isStalled = false;
      const timer = setTimeout(() => {
        isStalled = true;
        stalled += 1;
        onStalled();
      }, STALLED_MS);
      return () => {
        clearTimeout(timer);
        total -= 1;
        if (isStalled) stalled -= 1;
      };
    },
  };
}

/** Those that wait for a flush, in their order. */
function createLine<Item, Result>({
  itemsMax,
  weightMax = Number.POSITIVE_INFINITY,
  weightOf = () => 0,
}: BatcherOptions<Item, Result>) {
  const waiting: { entry: Entry<Item, Result>; weight: number }[] = [];
  let weightOfAll = 0;

  function countFitting(): number {
    // Nearly always all of them, and then none need be added up.
    if (waiting.length <= itemsMax && weightOfAll <= weightMax) return waiting.length;
    let weightSoFar = 0;
    const tooHeavy = waiting.slice(0, itemsMax).findIndex(({ weight }) => {
      weightSoFar += weight;
      return weightSoFar > weightMax;
    });
    return tooHeavy === -1 ? itemsMax : Math.max(1, tooHeavy);
  }

  return {
    length: () => waiting.length,
    add(entry: Entry<Item, Result>): void {
      const weight = weightOf(entry.item);
      waiting.push({ entry, weight });
      weightOfAll += weight;
    },
    /** What fits into one flush; the first one always does. */
    takeFitting: () =>
      waiting.splice(0, countFitting()).map(({ entry, weight }) => {
        weightOfAll -= weight;
        return entry;
      }),
  };
}

/** Writes all entries, and returns what tells them. It never rejects: every error goes to the entries it belongs to. */
async function flushEntries<Item, Result>(
  flush: BatcherOptions<Item, Result>['flush'],
  entries: Entry<Item, Result>[],
  isPart = false,
): Promise<() => void> {
  try {
    const results = await flush(
      entries.map((entry) => entry.item),
      isPart,
    );
    if (results.length !== entries.length) {
      throw new Error(`A flush of ${entries.length} items gave ${results.length} results`);
    }
    return () => {
      for (const [index, result] of results.entries()) entries[index]?.resolve(result);
    };
  } catch (error) {
    if (entries.length === 1 || error instanceof StoreUnavailable || !surelyRolledBack(error)) {
      return () => {
        for (const entry of entries) entry.reject(error);
      };
    }
    const middle = Math.ceil(entries.length / 2);
    const tellFirst = await flushEntries(flush, entries.slice(0, middle), true);
    const tellRest = await flushEntries(flush, entries.slice(middle), true);
    return () => {
      tellFirst();
      tellRest();
    };
  }
}
