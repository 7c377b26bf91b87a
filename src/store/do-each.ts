import { isPassingFailure } from './passing-failure.ts';

/**
 * Does works one after another, the later ones also where the store does not carry an earlier one out: a row that somebody holds
 * for hours must not hold up what has nothing to do with it. Throws the first of these failures at the end.
 */
export async function doEach(works: readonly (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const work of works) {
    try {
      await work();
    } catch (error) {
      if (!isPassingFailure(error)) throw error;
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
