/** Runs works of one key one after another, in the order in which they were given; those of other keys go on beside them. */
export type InTurn = <Result>(key: string, work: () => Promise<Result>) => Promise<Result>;

export function createInTurn(): InTurn {
  const lasts = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const before = lasts.get(key);
    // Whether it failed is the business of whoever gave it.
    const own = before === undefined ? work() : before.then(work, work);
    lasts.set(key, own);
    try {
      return await own;
    } finally {
      if (lasts.get(key) === own) lasts.delete(key);
    }
  };
}
