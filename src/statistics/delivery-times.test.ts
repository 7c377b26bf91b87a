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

  it('are null where nothing was delivered', () => {
    assert.equal(percentilesOf([]), null);
  });
});
