interface Limits {
  /** How many works are under way at once, at most. */
  atATime: number;
  /** Once it is aborted, nothing more begins. */
  signal?: AbortSignal;
}

/**
 * Works on the items in their order, some of them side by side, and gives what came of those that were begun. After a failure nothing
 * more begins, and the failure is told once nothing is under way any more.
 */
export async function sideBySide<Item, Result>(
  items: readonly Item[],
  { atATime, signal }: Limits,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const left = items.values();
  let failed = false;
  const workOn = async () => {
    for (const item of left) {
      if (failed || signal?.aborted) return;
      try {
        results.push(await work(item));
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: atATime }, workOn));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return results;
}
