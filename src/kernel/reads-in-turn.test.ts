import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError } from './errors.ts';
import { createReadsInTurn } from './reads-in-turn.ts';

const LONG_MS = 600_000;

/** Reads that go on until they are ended. */
function startWorld(atOnceMax: number, waitMs = LONG_MS) {
  let nowMs = 0;
  const inTurn = createReadsInTurn({ atOnceMax: () => atOnceMax, waitMs, clock: { steadyMs: () => nowMs } });
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const read = (name: string) =>
    inTurn(name.slice(0, 1), async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.push(resolve));
      return name;
    });
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { inTurn, begun, ends, read, pass };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('reads that may take long', () => {
  it('of one account are read one at a time, and leave connections to everybody else', async () => {
    const { begun, ends, read } = startWorld(2);
    const names = ['a1', 'a2', 'b1', 'c1', 'd1', 'a3'];
    const reads = names.map(read);
    await turn();
    assert.deepEqual(begun, ['a1', 'b1']);
    // Whoever has waited longest is next, and no account more than once.
    for (const place of names.keys()) {
      ends[place]?.();
      await turn();
      assert.ok(begun.length <= place + 3, 'two at once');
    }
    assert.deepEqual(begun, ['a1', 'b1', 'c1', 'd1', 'a2', 'a3']);
    assert.deepEqual(await Promise.all(reads), names);
  });

  it('of accounts that were long the last time leave one place to the others, until they are short again', async () => {
    const { begun, ends, read, pass } = startWorld(3);
    const end = async (place: number) => {
      ends[place]?.();
      await turn();
    };
    for (const name of ['a1', 'b1', 'c1']) void read(name);
    await turn();
    pass(1_001);
    for (const place of [0, 1, 2]) await end(place);
    for (const name of ['a2', 'b2', 'c2', 'd1']) void read(name);
    await turn();
    assert.deepEqual(begun.slice(3), ['a2', 'b2', 'd1']);
    await end(5);
    assert.equal(begun.length, 6, 'the place of d is kept');
    await end(3);
    assert.equal(begun.at(-1), 'c2');
    // That of a was short.
    void read('a3');
    await turn();
    assert.equal(begun.at(-1), 'a3');
  });

  it('that fail give their place back', async () => {
    const { inTurn } = startWorld(1);
    const fail = () => Promise.reject(new Error('broken'));
    for (let times = 0; times < 30; times++) await assert.rejects(inTurn('a', fail), /broken/);
    assert.equal(await inTurn('a', async () => 'read'), 'read');
  });

  it('that wait for too long are refused and not read any more, and those of no other account', async () => {
    const { inTurn, begun, ends, read } = startWorld(2, 20);
    const first = read('a1');
    await assert.rejects(read('a2'), (error) => error instanceof ApiError && error.code === 'unavailable');
    assert.equal(await inTurn('b', async () => 'read'), 'read');
    ends[0]?.();
    assert.equal(await first, 'a1');
    assert.equal(await inTurn('a', async () => 'read'), 'read');
    assert.deepEqual(begun, ['a1']);
  });
});
