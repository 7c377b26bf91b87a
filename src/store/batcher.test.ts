import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { StoreUnavailable } from '../kernel/store-unavailable.ts';
import { createBatcher } from './batcher.ts';
import { noteRolledBack } from './rolled-back.ts';

/** An item of a test: `bad` ones make their flush fail as a broken constraint would. */
interface Item {
  id: number;
  bad: boolean;
  weight: number;
}

const arrivals = fc.array(
  fc.record({ bad: fc.boolean(), weight: fc.nat({ max: 5 }), turnsBefore: fc.nat({ max: 2 }) }),
  { maxLength: 40 },
);

describe('a batcher', () => {
  it('writes every good item once and gives it its own result, whatever else is in its batch', async () => {
    await fc.assert(
      fc.asyncProperty(
        arrivals,
        fc.integer({ min: 1, max: 7 }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 3 }),
        fc.array(fc.nat({ max: 3 }), { minLength: 1 }),
        async (arriving, itemsMax, weightMax, flushesMax, flushTurns) => {
          const written: number[] = [];
          let flushes = 0;
          let inFlight = 0;
          const batcher = createBatcher<Item, string>({
            itemsMax,
            weightMax,
            weightOf: ({ weight }) => weight,
            flushesMax,
            flush: async (items) => {
              inFlight += 1;
              assert.ok(inFlight <= flushesMax && items.length <= itemsMax && items.length > 0);
              assert.ok(items.length === 1 || items.reduce((sum, { weight }) => sum + weight, 0) <= weightMax);
              const turns = flushTurns[flushes % flushTurns.length] ?? 0;
              flushes += 1;
              for (let count = 0; count < turns; count += 1) await turn();
              inFlight -= 1;
              if (items.some((item) => item.bad)) throw rolledBack(`a bad one among ${items.length}`);
              written.push(...items.map((item) => item.id));
              return items.map((item) => `result ${item.id}`);
            },
          });
          const outcomes: Promise<string>[] = [];
          for (const [id, { bad, weight, turnsBefore }] of arriving.entries()) {
            for (let count = 0; count < turnsBefore; count += 1) await turn();
            outcomes.push(batcher.add({ id, bad, weight }).catch((error: Error) => error.message));
          }
          const expected = arriving.map(({ bad }, id) => (bad ? 'a bad one among 1' : `result ${id}`));
          assert.deepEqual(await Promise.all(outcomes), expected);
          const good = arriving.flatMap(({ bad }, id) => (bad ? [] : [id]));
          assert.deepEqual(
            written.toSorted((a, b) => a - b),
            good,
          );
        },
      ),
    );
  });

  it('begins a flush beside another one only when enough wait for it, and lets nobody wait for ever', async () => {
    const sizes: number[] = [];
    const release = Promise.withResolvers<void>();
    const batcher = createBatcher<number, number>({
      itemsMax: 100,
      flushesMax: 2,
      besideMin: 3,
      flush: async (items) => {
        sizes.push(items.length);
        if (sizes.length === 1) await release.promise;
        return items;
      },
    });
    const first = batcher.add(1);
    await turn();
    await turn();
    const two = [batcher.add(2), batcher.add(3)];
    await turn();
    await turn();
    assert.deepEqual(sizes, [1]);
    assert.equal(await batcher.add(4), 4);
    assert.deepEqual(sizes, [1, 3]);
    const last = batcher.add(5);
    release.resolve();
    assert.deepEqual(await Promise.all([first, ...two, last]), [1, 2, 3, 5]);
    assert.deepEqual(sizes, [1, 3, 1]);
  });

  it('waits for a flush that hangs for 2 s and no longer, and for all when a second one hangs beside it', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const begun: number[][] = [];
    const released = [1, 2].map(() => Promise.withResolvers<void>());
    const batcher = createBatcher<number, number>({
      itemsMax: 100,
      flushesMax: 1,
      flush: async (items) => {
        begun.push(items);
        await released[begun.length - 1]?.promise;
        return items;
      },
    });
    const turns = async () => {
      for (let count = 0; count < 5; count += 1) await turn();
    };
    const added = [batcher.add(1)];
    await turns();
    added.push(batcher.add(2));
    t.mock.timers.tick(1_999);
    await turns();
    assert.deepEqual(begun, [[1]]);
    t.mock.timers.tick(1);
    await turns();
    assert.deepEqual(begun, [[1], [2]]);
    added.push(batcher.add(3));
    t.mock.timers.tick(60_000);
    await turns();
    assert.deepEqual(begun, [[1], [2]]);
    released[1]?.resolve();
    assert.deepEqual(await Promise.all(added.slice(1)), [2, 3]);
    assert.equal(await batcher.add(4), 4);
    released[0]?.resolve();
    assert.equal(await added[0], 1);
    t.mock.timers.tick(60_000);
    released[4] = Promise.withResolvers();
    const last = [batcher.add(5)];
    await turns();
    last.push(batcher.add(6));
    await turns();
    assert.deepEqual(
      begun,
      [[1], [2], [3], [4], [5]],
      'those that hung have ended, and count no more, nor do those that ended in time',
    );
    released[4].resolve();
    await Promise.all(last);
  });

  it('puts what arrives in one turn, and what arrives during a flush, into one flush each', async () => {
    const sizes: number[] = [];
    const release = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    const batcher = createBatcher<number, number>({
      itemsMax: 100,
      flushesMax: 1,
      flush: async (items) => {
        sizes.push(items.length);
        started.resolve();
        if (sizes.length === 1) await release.promise;
        return items;
      },
    });
    const first = [1, 2, 3].map((item) => batcher.add(item));
    await started.promise;
    const second = [4, 5].map((item) => batcher.add(item));
    await turn();
    second.push(batcher.add(6));
    release.resolve();
    assert.deepEqual(await Promise.all([...first, ...second]), [1, 2, 3, 4, 5, 6]);
    assert.deepEqual(sizes, [3, 3]);
  });

  it('fills a flush up to its weight, and writes what is heavier alone', async () => {
    const flushes: number[][] = [];
    const batcher = createBatcher<number, number>({
      itemsMax: 4,
      weightMax: 10,
      weightOf: (weight) => weight,
      flushesMax: 1,
      flush: async (items) => {
        flushes.push(items);
        return items;
      },
    });
    const weights = [4, 6, 1, 11, 9, 2, 0, 0, 0, 0, 0];
    assert.deepEqual(await Promise.all(weights.map((weight) => batcher.add(weight))), weights);
    assert.deepEqual(flushes, [[4, 6], [1], [11], [9], [2, 0, 0, 0], [0, 0]]);
  });

  for (const [what, error] of [
    ['a store that is not available', rolledBackUnavailable()],
    ['an error that may have come after the commit', new Error('after the commit')],
  ] as const) {
    it(`never writes again after ${what}`, async () => {
      let flushes = 0;
      const batcher = createBatcher<number, number>({
        itemsMax: 100,
        flush: async () => {
          flushes += 1;
          throw error;
        },
      });
      const outcomes = await Promise.allSettled([1, 2, 3].map((item) => batcher.add(item)));
      assert.deepEqual(
        outcomes,
        [error, error, error].map((reason) => ({ status: 'rejected', reason })),
      );
      assert.equal(flushes, 1);
    });
  }

  it('fails loudly when a flush gives another number of results than it got items', async () => {
    const batcher = createBatcher<number, number>({ itemsMax: 10, flush: async () => [] });
    await assert.rejects(batcher.add(1), /1 items gave 0 results/);
  });

  it('waits with the next flush for its time', async () => {
    const { batcher, begun } = createSlow({ itemsMax: 5, everyMs: 200 });
    await batcher.add(0);
    const added = [batcher.add(1), batcher.add(2)];
    await Promise.all(added);
    assert.deepEqual(
      begun.map(({ items }) => items),
      [[0], [1, 2]],
    );
    const [first, second] = begun.map(({ atMs }) => atMs);
    // Timers go by whole milliseconds, and by the time at which the turn of the event loop began.
    assert.ok((second ?? 0) - (first ?? 0) >= 190, 'the second flush came too soon');
  });

  it('does not wait with a flush that is full', async () => {
    const { batcher, begun } = createSlow({ itemsMax: 5, everyMs: 3_600_000 });
    await batcher.add(0);
    await Promise.all([1, 2, 3, 4, 5].map((item) => batcher.add(item)));
    assert.deepEqual(
      begun.map(({ items }) => items),
      [[0], [1, 2, 3, 4, 5]],
    );
  });
});

/** A batcher that notes when its flushes begin, and what is in them. */
function createSlow(options: { itemsMax: number; everyMs: number }) {
  const begun: { atMs: number; items: number[] }[] = [];
  const batcher = createBatcher<number, void>({
    ...options,
    flush: async (items) => {
      begun.push({ atMs: performance.now(), items });
      return items.map(() => undefined);
    },
  });
  return { batcher, begun };
}

function rolledBack(message: string): Error {
  const error = new Error(message);
  noteRolledBack(error);
  return error;
}

function rolledBackUnavailable(): StoreUnavailable {
  const error = new StoreUnavailable('stopping', false);
  noteRolledBack(error);
  return error;
}
