import { isPassingFailure } from './passing-failure.ts';

/**
 * Does works one after another, the later ones also where the store does not carry an earlier one out: a row that somebody holds
 * for hours must not hold up what has nothing to do with it. Throws the first of these failures at the end; otherwise returns what the
 * works returned.
 */
export async function doEach<T>(works: readonly (() => Promise<T>)[]): Promise<T[]> {
  const results: T[] = [];
  const failures: unknown[] = [];
  for (const work of works) {
    try {
      results.push(await work());
    } catch (error) {
      if (!isPassingFailure(error)) throw error;
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return results;
}
