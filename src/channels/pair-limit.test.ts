import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createPairLimit } from './pair-limit.ts';

const STEP_MS = 6_000;
const BURST = 45;

/** A limit with a clock that tests move. */
function createMoved() {
  const time = { steadyMs: 1_000_000 };
  return { time, limit: createPairLimit({ steadyMs: () => time.steadyMs }) };
}

describe('the pair limit', () => {
  it('lets 45 go at once, and then one in 6 seconds', () => {
    const { time, limit } = createMoved();
    const takeNext = () => {
      const delayMs = limit.delayMs('channel', 'person');
      limit.take('channel', 'person');
      return delayMs;
    };
    assert.deepEqual(
      Array.from({ length: BURST }, takeNext),
      Array.from({ length: BURST }, () => 0),
    );
    assert.deepEqual([takeNext(), takeNext(), takeNext()], [STEP_MS, 2 * STEP_MS, 3 * STEP_MS]);
    time.steadyMs += 4 * STEP_MS;
    assert.equal(limit.delayMs('channel', 'person'), 0);
    takeNext();
    assert.equal(limit.delayMs('channel', 'person'), STEP_MS);
  });

  it('is kept for each pair apart, and asking takes nothing', () => {
    const { limit } = createMoved();
    for (let taken = 0; taken < BURST; taken++) limit.take('channel', 'person');
    for (let asked = 0; asked < 3; asked++) assert.equal(limit.delayMs('channel', 'person'), STEP_MS);
    assert.equal(limit.delayMs('channel', 'other'), 0);
    assert.equal(limit.delayMs('other', 'person'), 0);
  });

  it('pays back while nobody sends, up to 45 and no more', () => {
    const { time, limit } = createMoved();
    for (let taken = 0; taken < BURST; taken++) limit.take('channel', 'person');
    time.steadyMs += 24 * 3_600_000;
    for (let taken = 0; taken < BURST; taken++) {
      assert.equal(limit.delayMs('channel', 'person'), 0);
      limit.take('channel', 'person');
    }
    assert.equal(limit.delayMs('channel', 'person'), STEP_MS);
  });

  it('has one turn more for each that is given back', () => {
    const { limit } = createMoved();
    for (let taken = 0; taken < BURST + 2; taken++) limit.take('channel', 'person');
    assert.equal(limit.delayMs('channel', 'person'), 3 * STEP_MS);
    limit.giveBack('channel', 'person');
    limit.giveBack('channel', 'person');
    assert.equal(limit.delayMs('channel', 'person'), STEP_MS);
    limit.giveBack('channel', 'other');
    for (let taken = 0; taken < BURST; taken++) limit.take('channel', 'other');
    assert.equal(limit.delayMs('channel', 'other'), STEP_MS, 'what was never taken gives nothing');
  });

  it('forgets nothing that is still owed when many other pairs come', () => {
    const { time, limit } = createMoved();
    for (let taken = 0; taken < BURST; taken++) limit.take('channel', 'person');
    for (let others = 0; others < 1_000; others++) limit.take('channel', `other-${others}`);
    assert.equal(limit.delayMs('channel', 'person'), STEP_MS);
    time.steadyMs += (BURST * STEP_MS) / 2;
    limit.take('channel', 'person');
    time.steadyMs += (BURST * STEP_MS) / 2;
    limit.take('channel', 'other');
    for (let taken = 0; taken < BURST - 1; taken++) limit.take('channel', 'person');
    assert.equal(limit.delayMs('channel', 'person'), STEP_MS);
  });

  it('forgets nothing that a silent pair still owes', () => {
    const { time, limit } = createMoved();
    for (let taken = 0; taken < BURST; taken++) limit.take('channel', 'person');
    for (let minutes = 0; minutes < 4; minutes++) {
      time.steadyMs += 10 * STEP_MS;
      limit.take('channel', 'other');
    }
    for (let taken = 0; taken < 40; taken++) limit.take('channel', 'person');
    assert.equal(limit.delayMs('channel', 'person'), STEP_MS, 'as many as were paid back');
  });

  it('remembers a bounded number of pairs, and counts each of them once', () => {
    const { limit } = createMoved();
    const others = (count: number, nameOf = (other: number) => `other-${other}`) => {
      for (let other = 0; other < count; other++) limit.take('channel', nameOf(other));
    };
    const owed = () => limit.delayMs('channel', 'person');
    others(50_001);
    for (let taken = 0; taken < BURST; taken++) limit.take('channel', 'person');
    others(1_000);
    assert.equal(owed(), STEP_MS);
    others(100_000, () => 'the same');
    assert.equal(owed(), STEP_MS, 'it is two pairs still');
    others(100_001, (other) => `later-${other}`);
    assert.equal(owed(), 0, 'forgotten');
  });

  it('never lets more go in any stretch of time than the burst and one for each 6 seconds of it', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 200 }), (pausesMs) => {
        const { time, limit } = createMoved();
        const goneMs: number[] = [];
        for (const pauseMs of pausesMs) {
          time.steadyMs += pauseMs % 7 === 0 ? 0 : pauseMs;
          goneMs.push(time.steadyMs + limit.delayMs('channel', 'person'));
          limit.take('channel', 'person');
        }
        for (const [first, fromMs] of goneMs.entries())
          for (const [last, toMs] of goneMs.entries())
            if (last >= first) assert.ok(last - first + 1 <= BURST + Math.floor((toMs - fromMs) / STEP_MS) + 1e-9);
      }),
      { numRuns: 200 },
    );
  });
});
