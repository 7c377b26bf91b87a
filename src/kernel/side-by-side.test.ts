import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sideBySide } from './side-by-side.ts';

const ITEMS = Array.from({ length: 20 }, (_, number) => number);
const { signal } = new AbortController();

describe('works side by side', () => {
  it('are as many at once as they may be and never more, each item once and in order', async () => {
    const begun: number[] = [];
    let underWay = 0;
    let most = 0;
    const results = await sideBySide(ITEMS, { atATime: 3, signal }, async (item) => {
      begun.push(item);
      underWay += 1;
      most = Math.max(most, underWay);
      await nextTurn();
      underWay -= 1;
      return item;
    });
    assert.equal(most, 3);
    assert.deepEqual(begun, ITEMS);
    assert.deepEqual(
      results.toSorted((a, b) => a - b),
      ITEMS,
    );
  });

  it('begin no more after a failure, which is told once the others have ended', async () => {
    const begun: number[] = [];
    const other = Promise.withResolvers<void>();
    let otherEnded = false;
    const all = sideBySide(ITEMS, { atATime: 2, signal }, async (item) => {
      begun.push(item);
      if (item === 1) throw new Error('No');
      await other.promise;
      otherEnded = true;
    });
    await nextTurn();
    assert.equal(otherEnded, false);
    other.resolve();
    await assert.rejects(all, { message: 'No' });
    assert.deepEqual([begun, otherEnded], [[0, 1], true]);
  });

  it('begin no more once they are to end, and tell what has come by then', async () => {
    const stopping = new AbortController();
    const results = await sideBySide(ITEMS, { atATime: 2, signal: stopping.signal }, async (item) => {
      if (item === 5) stopping.abort();
      await nextTurn();
      return item;
    });
    assert.deepEqual(results, [0, 1, 2, 3, 4, 5]);
  });
});
