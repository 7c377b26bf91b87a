import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createRateLimits, type RateLeft, type RateLimits, type RatePolicy, rateLimited } from './rate-limit.ts';

describe('rate limits', () => {
  it('take what fits, and refuse the rest as a whole', () => {
    const { limits } = start();
    assert.ok(take(limits, 'recipients', 'a', 450));
    assert.ok(!take(limits, 'recipients', 'a', 51));
    assert.ok(take(limits, 'recipients', 'a', 50), 'what was refused took nothing');
  });

  it('fill up again with time, up to one second of it', () => {
    const { limits, clock } = start();
    assert.ok(take(limits, 'requests', 'a', 50));
    assert.ok(!take(limits, 'requests', 'a', 1));
    clock.ms += 20;
    assert.ok(take(limits, 'requests', 'a', 1));
    for (const pauseMs of [10_000, 3_600_000]) {
      clock.ms += pauseMs;
      assert.ok(take(limits, 'requests', 'a', 50));
      assert.ok(!take(limits, 'requests', 'a', 1), `after ${pauseMs} ms`);
    }
  });

  it('are not forgotten of a key in use when those of idle ones are', () => {
    const { limits, clock } = start();
    clock.ms += 59_990;
    assert.ok(take(limits, 'requests', 'a', 50));
    clock.ms += 10;
    assert.ok(!take(limits, 'requests', 'a', 1));
  });

  it('are apart for each key and each policy', () => {
    const { limits } = start();
    assert.ok(take(limits, 'requests', 'a', 50));
    assert.ok(take(limits, 'requests', 'b', 50));
    assert.ok(take(limits, 'recipients', 'a', 500));
  });

  it('let a call that was refused through within the second that it is told', () => {
    const { limits, clock } = start();
    assert.ok(take(limits, 'recipients', 'a', 500));
    assert.ok(!take(limits, 'recipients', 'a', 500));
    assert.equal(rateLimited('recipients').headers['retry-after'], '1');
    clock.ms += 1_000;
    assert.ok(take(limits, 'recipients', 'a', 500));
  });

  it('stand in the fields of the draft standard', () => {
    const { limits } = start();
    const left = nothingTaken();
    take(limits, 'requests', 'a', 1, left);
    take(limits, 'recipients', 'a', 50, left);
    assert.deepEqual(limits.fields('a', left), {
      'ratelimit-policy': '"requests";q=50;w=1, "recipients";q=500;w=1',
      ratelimit: '"requests";r=49;t=1, "recipients";r=450;t=1',
    });
  });

  it('tell what each call has left, whatever others take and however long it takes', () => {
    const { limits, clock } = start();
    const [first, second] = [nothingTaken(), nothingTaken()];
    take(limits, 'recipients', 'a', 50, first);
    take(limits, 'recipients', 'a', 100, second);
    clock.ms += 20_000;
    assert.deepEqual([leftOf(limits, first).recipients, leftOf(limits, second).recipients], [450, 350]);
  });

  it('tell of a policy from which a call takes nothing what is left whole by now', () => {
    const { limits, clock } = start();
    take(limits, 'recipients', 'a', 500);
    clock.ms += 601;
    const left = nothingTaken();
    take(limits, 'requests', 'a', 50, left);
    assert.deepEqual(leftOf(limits, left), { requests: 0, recipients: 300 });
    clock.ms += 30;
    take(limits, 'requests', 'a', 1, left);
    assert.deepEqual(leftOf(limits, left), { requests: 0, recipients: 315 }, 'half a request is left');
    assert.equal(leftOf(limits, nothingTaken(), 'b').recipients, 500);
  });

  it('never let more through in any time than the quota for it and one burst', () => {
    const call = fc.record({ pauseMs: fc.nat({ max: 400 }), cost: fc.integer({ min: 1, max: 60 }) });
    fc.assert(
      fc.property(fc.array(call, { maxLength: 100 }), (calls) => {
        const { limits, clock } = start();
        let taken = 0;
        for (const { pauseMs, cost } of calls) {
          clock.ms += pauseMs;
          if (take(limits, 'requests', 'a', cost)) taken += cost;
        }
        assert.ok(taken <= 50 + (clock.ms * 50) / 1_000 + 1e-6);
      }),
    );
  });
});

const nothingTaken = (): RateLeft => ({ requests: undefined, recipients: undefined });

function take(limits: RateLimits, policy: RatePolicy, keyId: string, cost: number, left = nothingTaken()): boolean {
  return limits.take(policy, keyId, cost, left);
}

/** What the fields of a call's answer say. */
function leftOf(limits: RateLimits, left: RateLeft, keyId = 'a') {
  const { ratelimit = '' } = limits.fields(keyId, left);
  const [, requests, recipients] = /^"requests";r=(\d+);t=1, "recipients";r=(\d+);t=1$/.exec(ratelimit) ?? [];
  return { requests: Number(requests), recipients: Number(recipients) };
}

function start() {
  const clock = { ms: 0, steadyMs: () => clock.ms };
  return { limits: createRateLimits({ requests: 50, recipients: 500 }, clock), clock };
}
