/** Counts works until they settle, so that a stop can wait for them. */
export interface InFlight {
  /** Counts this one, and returns it. Its failure is the caller's affair. */
  add<Value>(work: Promise<Value>): Promise<Value>;
  /** Counts one that is no promise, until what it returns is called, once. */
  begin(): () => void;
  /** Resolves when none is in flight. It also waits for those that are added meanwhile, and those that the end of another one begins. */
  idle(): Promise<void>;
}

/**
 * It counts the works and keeps none of their promises. A `Set` makes itself a new table every few changes, among the old objects if
 * the set itself is old. The tables that it leaves behind keep their promises, with all that these can reach, until the next major
 * garbage collection.
 */
export function createInFlight(): InFlight {
  let count = 0;
  const waiting: (() => void)[] = [];
  const tell = () => {
    if (count === 0) for (const resolve of waiting.splice(0)) resolve();
  };
  const end = () => {
    count -= 1;
    // A turn later: whoever has waited for this one may begin another.
    if (count === 0 && waiting.length > 0) setImmediate(tell);
  };
  const begin = () => {
    count += 1;
    return end;
  };
  return {
    add(work) {
      begin();
      work.then(end, end);
      return work;
    },
    begin,
    idle: () => new Promise((resolve) => (count === 0 ? resolve() : void waiting.push(resolve))),
  };
}
