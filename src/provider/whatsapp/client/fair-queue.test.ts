import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { FairQueue, type Waiter } from './fair-queue.ts';

describe('those who wait for a connection', () => {
  it('take turns by sender where none holds more, and each sender keeps its own order', () => {
    const { queue, told } = world();
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'c2']) queue.add(name.slice(0, 1), told(name));
    assert.deepEqual(serveAll(queue), ['a1', 'b1', 'c1', 'a2', 'c2', 'a3', 'a4']);
  });

  it('are passed over while their sender may have no more', () => {
    const { queue, told } = world();
    for (const name of ['a1', 'b1', 'b2']) queue.add(name.slice(0, 1), told(name));
    const seen: string[] = [];
    const all = (accountId: string) => (accountId === 'a' ? HELD_MAX : 0);
    for (let waiter = queue.next(all, HELD_MAX); waiter !== undefined; waiter = queue.next(all, HELD_MAX)) waiter(seen);
    assert.deepEqual(seen, ['b1', 'b2']);
    assert.equal(queue.size, 1);
  });

  it('come first whose sender holds least, and equals take turns', () => {
    const { queue, told } = world();
    for (const name of ['a1', 'b1', 'b2', 'b3', 'c1', 'c2', 'c3']) queue.add(name.slice(0, 1), told(name));
    const held = new Map([
      ['a', 3],
      ['b', 1],
    ]);
    const seen: string[] = [];
    const heldBy = (accountId: string) => held.get(accountId) ?? 0;
    for (let waiter = queue.next(heldBy, HELD_MAX); waiter !== undefined; waiter = queue.next(heldBy, HELD_MAX)) {
      waiter(seen);
      const accountId = seen.at(-1)?.slice(0, 1) ?? '';
      held.set(accountId, heldBy(accountId) + 1);
    }
    assert.deepEqual(seen, ['c1', 'b1', 'c2', 'b2', 'c3', 'a1', 'b3']);
  });

  it('are each told once or taken away, whatever happens in which order', () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('add' as const), accountId: fc.constantFrom('a', 'b', 'c') }),
      fc.record({ do: fc.constant('next' as const), accountId: fc.constant('') }),
      fc.record({ do: fc.constant('delete' as const), accountId: fc.constantFrom('a', 'b', 'c') }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const queue = new FairQueue<string>();
        const waiting: { accountId: string; waiter: Waiter<string> }[] = [];
        for (const { do: what, accountId } of steps) {
          if (what === 'add') {
            const waiter = () => {};
            waiting.push({ accountId, waiter });
            queue.add(accountId, waiter);
          } else {
            const gone =
              what === 'next'
                ? queue.next(nothing, HELD_MAX)
                : waiting.find((one) => one.accountId === accountId)?.waiter;
            if (what === 'delete' && gone !== undefined) queue.delete(accountId, gone);
            assert.equal(gone === undefined, what === 'next' ? waiting.length === 0 : gone === undefined);
            const place = waiting.findIndex(({ waiter }) => waiter === gone);
            if (place >= 0) waiting.splice(place, 1);
          }
          assert.equal(queue.size, waiting.length);
        }
        assert.deepEqual(new Set(queue.drain()), new Set(waiting.map(({ waiter }) => waiter)));
        assert.equal(queue.next(nothing, HELD_MAX), undefined);
        assert.equal(queue.size, 0);
      }),
    );
  });
});

const HELD_MAX = 8;
const nothing = () => 0;

function world() {
  const queue = new FairQueue<string[]>();
  const told =
    (name: string): Waiter<string[]> =>
    (seen) => {
      seen?.push(name);
    };
  return { queue, told };
}

function serveAll(queue: FairQueue<string[]>): string[] {
  const seen: string[] = [];
  for (let waiter = queue.next(nothing, HELD_MAX); waiter !== undefined; waiter = queue.next(nothing, HELD_MAX))
    waiter(seen);
  return seen;
}
