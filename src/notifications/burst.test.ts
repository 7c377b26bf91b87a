import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BURST_STEP_MS, createBurst } from './burst.ts';

/** Asks after each step as the processor does, with so many received a second, and returns how long answers came first. */
function burstOf({ perSecond, taken, limitMs }: { perSecond: number; taken: number; limitMs: number }): number {
  const burst = createBurst();
  let nowMs = 1_000_000;
  const ask = () => burst.answersFirst(taken, (nowMs * perSecond) / 1_000, nowMs);
  // Before the first round, when nothing was taken yet; that round takes no time.
  burst.answersFirst(0, (nowMs * perSecond) / 1_000, nowMs);
  const startMs = nowMs;
  do nowMs += BURST_STEP_MS;
  while (ask() && nowMs - startMs < limitMs);
  return nowMs - startMs - BURST_STEP_MS;
}

/** A processor whose rounds let in what the test says, and what it saw. */
function createProcessor() {
  const burst = createBurst();
  let nowMs = 1_000_000;
  let received = 0;
  burst.answersFirst(0, received, nowMs);
  return {
    round(durationMs: number, perSecond: number, taken = 500): boolean {
      nowMs += durationMs;
      received += (durationMs * perSecond) / 1_000;
      return burst.answersFirst(taken, received, nowMs);
    },
  };
}

describe('a burst of notifications', () => {
  it('is answered first, and applied after 3 s at the latest even if it goes on', () => {
    const firstMs = burstOf({ perSecond: 10_000, taken: 500, limitMs: 60_000 });
    assert.ok(firstMs > 2_900 && firstMs <= 3_000, `${firstMs} ms`);
  });

  it('is none up to 4,000 a second, and none while nothing has gathered', () => {
    assert.equal(burstOf({ perSecond: 3_900, taken: 500, limitMs: 60_000 }), BURST_STEP_MS, 'it is looked for once');
    assert.equal(burstOf({ perSecond: 10_000, taken: 99, limitMs: 60_000 }), 0);
  });

  it('is over soon after its last notification', () => {
    const processor = createProcessor();
    assert.equal(processor.round(BURST_STEP_MS, 10_000), true);
    let quietMs = BURST_STEP_MS;
    while (processor.round(BURST_STEP_MS, 0)) quietMs += BURST_STEP_MS;
    assert.equal(quietMs, 100);
  });

  it('goes on when the machine was elsewhere for a moment', () => {
    const processor = createProcessor();
    const steps = [10_000, 100, 0, 13_000, 1_000, 10_000].map((perSecond) => processor.round(BURST_STEP_MS, perSecond));
    assert.deepEqual(steps, [true, true, true, true, true, true]);
  });

  it('is seen also where the first rounds left it no room', () => {
    const processor = createProcessor();
    assert.equal(processor.round(100, 3_000), true, 'it is looked at while nothing is applied');
    assert.equal(processor.round(BURST_STEP_MS, 8_000), true);
    assert.equal(processor.round(BURST_STEP_MS, 8_000), true);
  });

  it('is not waited for where none comes, and looked for once a second at the most', () => {
    const processor = createProcessor();
    let looks = 0;
    for (let rounds = 0; rounds < 25; rounds++) {
      if (!processor.round(100, 3_000)) continue;
      looks += 1;
      assert.equal(processor.round(BURST_STEP_MS, 3_500), false);
    }
    assert.equal(looks, 3);
    assert.equal(createProcessor().round(100, 900), false, 'what comes while a backlog is applied is no sign of one');
  });

  it('that comes after all was applied is answered first again', () => {
    const burst = createBurst();
    const steps: boolean[] = [];
    for (let nowMs = 1_000; nowMs <= 6_000; nowMs += 20) steps.push(burst.answersFirst(500, nowMs * 10, nowMs));
    assert.equal(steps.at(-1), false, 'it has gone on for too long');
    assert.equal(burst.answersFirst(3, 60_200, 6_020), false);
    assert.equal(burst.answersFirst(500, 60_600, 6_040), true);
  });
});
