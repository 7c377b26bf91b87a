import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { collectGarbage } from '../../test/support/garbage.ts';
import { Counts } from '../counts.ts';
import { cutPage } from '../page.ts';
import { Queue } from './queue.ts';

describe('a queue', () => {
  it('gives back what was put in, in order, whatever the mixture of putting and taking', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -2_000, max: 3_000 }), { maxLength: 20 }), (steps) => {
        const queue = new Queue<number>();
        const model: number[] = [];
        let next = 0;
        for (const step of steps) {
          for (let put = 0; put < step; put += 1) {
            queue.push(next);
            model.push(next);
            next += 1;
          }
          for (let take = 0; take > step; take -= 1) assert.equal(queue.shift(), model.shift());
          assert.equal(queue.size, model.length);
        }
        assert.deepEqual(queue.toArray(), model);
        queue.keep((number) => number % 2 === 0);
        assert.deepEqual(
          queue.toArray(),
          model.filter((number) => number % 2 === 0),
        );
      }),
      { numRuns: 30 },
    );
  });

  it('does not keep what was taken', async () => {
    const queue = new Queue<object>();
    for (let n = 0; n < 100; n += 1) queue.push({ n });
    const taken = Array.from({ length: 50 }, () => new WeakRef(queue.shift() ?? {}));
    // Until the end of its turn a new weak reference holds what it leads to.
    await nextTurn();
    collectGarbage();
    assert.deepEqual(
      taken.filter((one) => one.deref() !== undefined),
      [],
    );
    assert.equal(queue.size, 50);
  });
});

describe('counts', () => {
  it('forget the oldest key when there are too many', () => {
    const counts = new Counts(2);
    assert.deepEqual(
      [counts.add('a'), counts.add('a'), counts.add('b'), counts.add('c'), counts.add('a')],
      [1, 2, 1, 1, 1],
    );
  });
});

describe('pages', () => {
  it('walked forwards, and backwards, give every item once', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), fc.integer({ min: 1, max: 7 }), (list, limit) => {
        const forwards: number[] = [];
        let page = cutPage(list, { limit, after: undefined, before: undefined });
        forwards.push(...page.items);
        while (page.hasNext) {
          page = cutPage(list, { limit, after: page.cursors?.after, before: undefined });
          forwards.push(...page.items);
        }
        assert.deepEqual(forwards, list);
        const backwards = [...page.items];
        while (page.hasPrevious) {
          page = cutPage(list, { limit, after: undefined, before: page.cursors?.before });
          backwards.unshift(...page.items);
        }
        assert.deepEqual(backwards, list);
      }),
    );
  });
});
