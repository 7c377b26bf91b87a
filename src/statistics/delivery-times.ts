/** Four classes to a doubling keep a percentile within a tenth of the truth. */
const CLASSES_A_DOUBLING = 4;
/** No report comes back sooner. */
const SHORTEST_MS = 100;
/** Up to a day; whoever is reached after more than that has had the phone switched off. */
const BOUNDS = 80;

/** The bounds between the classes in which times to delivery are counted, ascending. What is stored depends on them. */
export const DELIVERY_TIME_BOUNDS_MS: readonly number[] = Array.from({ length: BOUNDS }, (_, place) =>
  Math.round(SHORTEST_MS * 2 ** (place / CLASSES_A_DOUBLING)),
);

const LONGEST_MS = Math.max(...DELIVERY_TIME_BOUNDS_MS);

/** How many took at most so long; null where none was delivered. */
export interface DeliveryPercentiles {
  p50: number;
  p95: number;
}

/** `times` counts by class: below the first bound, below the second, and so on. Classes at the end may be left out. */
export function percentilesOf(times: readonly number[]): DeliveryPercentiles | null {
  const total = times.reduce((sum, count) => sum + count, 0);
  return total === 0 ? null : { p50: percentile(times, total * 0.5), p95: percentile(times, total * 0.95) };
}

/** Within its class a time is taken as spread evenly. */
function percentile(times: readonly number[], rank: number): number {
  let before = 0;
  for (const [place, count] of times.entries()) {
    if (before + count >= rank) {
      // A later version may count longer times in classes of their own, whose bounds are not known here.
      const from = place === 0 ? 0 : (DELIVERY_TIME_BOUNDS_MS[place - 1] ?? LONGEST_MS);
      // The last class has no end, so its beginning is all that can be said.
      const to = DELIVERY_TIME_BOUNDS_MS[place] ?? from;
      return Math.round(from + ((to - from) * (rank - before)) / count);
    }
    before += count;
  }
  throw new RangeError('A rank beyond the number of the counted times');
}
