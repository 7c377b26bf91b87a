import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { DELIVERY_TIME_BOUNDS_MS, percentilesOf } from './delivery-times.ts';

/** As the store classes a time. */
function classOf(timeMs: number): number {
  return DELIVERY_TIME_BOUNDS_MS.filter((bound) => bound <= timeMs).length;
}

describe('the times to delivery', () => {
  it('have percentiles within one class of the true ones', () => {
    const time = fc.integer({ min: 100, max: 80_000_000 });
    fc.assert(
      fc.property(fc.array(time, { minLength: 1, maxLength: 200 }), (times) => {
        const counts: number[] = [];
        for (const timeMs of times) {
          while (counts.length <= classOf(timeMs)) counts.push(0);
          counts[classOf(timeMs)] = (counts[classOf(timeMs)] ?? 0) + 1;
        }
        const sorted = times.toSorted((a, b) => a - b);
        const found = percentilesOf(counts);
        for (const [told, share] of [
          [found?.p50, 0.5],
          [found?.p95, 0.95],
        ] as const) {
          const truth = sorted[Math.ceil(times.length * share) - 1] ?? 0;
          assert.ok(told !== undefined && told >= truth / 1.2 && told <= truth * 1.2, `${told} for ${truth}`);
        }
      }),
    );
  });

  it('are taken from nothing on where they are the shortest, and as their last bound at least where they are the longest', () => {
    assert.deepEqual(percentilesOf([100]), { p50: 50, p95: 95 });
    const longest = Math.max(...DELIVERY_TIME_BOUNDS_MS);
    const none = DELIVERY_TIME_BOUNDS_MS.map(() => 0);
    assert.deepEqual(percentilesOf([...none, 3]), { p50: longest, p95: longest });
    assert.deepEqual(percentilesOf([...none, 0, 0, 3]), { p50: longest, p95: longest }, 'classes of a later version');
  });

  it('are null where nothing was delivered', () => {
    assert.equal(percentilesOf([]), null);
  });
});
