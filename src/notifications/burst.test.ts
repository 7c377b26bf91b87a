import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BURST_STEP_MS, createBurst } from './burst.ts';

/** Asks after each step as the processor does, with so many received a second, and returns how long answers came first. */
function burstOf({ perSecond, taken, limitMs }: { perSecond: number; taken: number; limitMs: number }): number {
  const burst = createBurst();
  let nowMs = 1_000_000;
  const ask = () => burst.answersFirst(taken, (nowMs * perSecond) / 1_000, nowMs);
  ask();
  const startMs = nowMs;
  do nowMs += BURST_STEP_MS;
  while (ask() && nowMs - startMs < limitMs);
  return nowMs - startMs - BURST_STEP_MS;
}

describe('a burst of notifications', () => {
  it('is answered first, and applied after 3 s at the latest even if it goes on', () => {
    const firstMs = burstOf({ perSecond: 10_000, taken: 500, limitMs: 60_000 });
    assert.ok(firstMs > 2_900 && firstMs <= 3_000, `${firstMs} ms`);
  });

  it('is none up to 4,000 a second, and none while nothing has gathered', () => {
    assert.equal(burstOf({ perSecond: 3_900, taken: 500, limitMs: 60_000 }), 0);
    assert.equal(burstOf({ perSecond: 10_000, taken: 99, limitMs: 60_000 }), 0);
  });

  it('is over with its last notification', () => {
    const burst = createBurst();
    burst.answersFirst(500, 0, 1_000);
    assert.equal(burst.answersFirst(500, 400, 1_020), true);
    assert.equal(burst.answersFirst(500, 410, 1_040), false);
  });

  it('that comes after all was applied is answered first again', () => {
    const burst = createBurst();
    const steps: boolean[] = [];
    for (let nowMs = 1_000; nowMs <= 6_000; nowMs += 20) steps.push(burst.answersFirst(500, nowMs * 10, nowMs));
    assert.equal(steps.at(-1), false, 'it has gone on for too long');
    assert.equal(burst.answersFirst(3, 60_400, 6_040), false);
    assert.equal(burst.answersFirst(500, 60_800, 6_060), true);
  });
});
