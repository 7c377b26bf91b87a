import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createRateLimits, rateLimited } from './rate-limit.ts';

describe('rate limits', () => {
  it('take what fits, and refuse the rest as a whole', () => {
    const { limits } = start();
    assert.ok(limits.take('recipients', 'a', 450));
    assert.ok(!limits.take('recipients', 'a', 51));
    assert.ok(limits.take('recipients', 'a', 50), 'what was refused took nothing');
  });

  it('fill up again with time, up to one second of it', () => {
    const { limits, clock } = start();
    assert.ok(limits.take('requests', 'a', 50));
    assert.ok(!limits.take('requests', 'a', 1));
    clock.ms += 20;
    assert.ok(limits.take('requests', 'a', 1));
    clock.ms += 3_600_000;
    assert.ok(limits.take('requests', 'a', 50));
    assert.ok(!limits.take('requests', 'a', 1));
  });

  it('are apart for each key and each policy', () => {
    const { limits } = start();
    assert.ok(limits.take('requests', 'a', 50));
    assert.ok(limits.take('requests', 'b', 50));
    assert.ok(limits.take('recipients', 'a', 500));
  });

  it('let a call that was refused through within the second that it is told', () => {
    const { limits, clock } = start();
    assert.ok(limits.take('recipients', 'a', 500));
    assert.ok(!limits.take('recipients', 'a', 500));
    assert.equal(rateLimited('recipients').headers['retry-after'], '1');
    clock.ms += 1_000;
    assert.ok(limits.take('recipients', 'a', 500));
  });

  it('stand in the fields of the draft standard', () => {
    const { limits } = start();
    limits.take('requests', 'a', 1);
    limits.take('recipients', 'a', 50);
    assert.deepEqual(limits.fields('a'), {
      'ratelimit-policy': '"requests";q=50;w=1, "recipients";q=500;w=1',
      ratelimit: '"requests";r=49;t=1, "recipients";r=450;t=1',
    });
  });

  it('tell only of what is left whole, of the last call and after a second', () => {
    const { limits, clock } = start();
    limits.take('requests', 'a', 50);
    clock.ms += 30;
    limits.take('requests', 'a', 1);
    assert.match(limits.fields('a').ratelimit ?? '', /^"requests";r=0;/, 'half a request is left');
    limits.take('requests', 'b', 50);
    clock.ms += 999;
    assert.match(limits.fields('b').ratelimit ?? '', /^"requests";r=0;/, 'what the last call has left');
    clock.ms += 1;
    assert.match(limits.fields('b').ratelimit ?? '', /^"requests";r=50;/);
  });

  it('never let more through in any time than the quota for it and one burst', () => {
    const call = fc.record({ pauseMs: fc.nat({ max: 400 }), cost: fc.integer({ min: 1, max: 60 }) });
    fc.assert(
      fc.property(fc.array(call, { maxLength: 100 }), (calls) => {
        const { limits, clock } = start();
        let taken = 0;
        for (const { pauseMs, cost } of calls) {
          clock.ms += pauseMs;
          if (limits.take('requests', 'a', cost)) taken += cost;
        }
        assert.ok(taken <= 50 + (clock.ms * 50) / 1_000 + 1e-6);
      }),
    );
  });
});

function start() {
  const clock = { ms: 0, steadyMs: () => clock.ms };
  return { limits: createRateLimits({ requests: 50, recipients: 500 }, clock), clock };
}
