import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { drawPlan } from './plan.ts';

const SEEDS = Array.from({ length: 100 }, (_, seed) => seed);
const EXTENTS = [true, false].flatMap((short) => [true, false].map((smallDisk) => ({ short, smallDisk })));

describe('the plan of a run', () => {
  it('is the same for the same seed, and another for another', () => {
    for (const extent of EXTENTS) {
      const drawn = SEEDS.map((seed) => drawPlan(seed, extent));
      assert.deepEqual(
        SEEDS.map((seed) => drawPlan(seed, extent)),
        drawn,
      );
      assert.equal(new Set(drawn.map(({ sends, faults }) => JSON.stringify({ sends, faults }))).size, SEEDS.length);
    }
  });

  it('has at least one fault, while there is load', () => {
    for (const extent of EXTENTS)
      for (const seed of SEEDS) {
        const { faults, loadMs } = drawPlan(seed, extent);
        assert.ok(faults.length > 0);
        assert.ok(faults.every(({ atMs }) => atMs < loadMs));
      }
  });

  it('fills no disk where there is none of its own, and is the same otherwise', () => {
    for (const seed of SEEDS) {
      const [there, none] = [true, false].map((smallDisk) => drawPlan(seed, { short: true, smallDisk }));
      assert.ok(none?.faults.every(({ kind }) => kind !== 'full_disk'));
      assert.deepEqual({ ...none, faults: [] }, { ...there, faults: [] });
      assert.equal(none?.faults.length, there?.faults.length);
    }
  });
});
