import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createInTurn } from './in-turn.ts';

describe('works in turn', () => {
  it('run one after another for each key, in their order, and beside those of other keys', async () => {
    const inTurn = createInTurn();
    const begun: string[] = [];
    const ends = new Map<string, () => void>();
    const run = (key: string, name: string) =>
      inTurn(key, async () => {
        begun.push(name);
        await new Promise<void>((resolve) => ends.set(name, resolve));
        return name;
      });
    const [first, second, other, third] = [run('a', 'a1'), run('a', 'a2'), run('b', 'b1'), run('a', 'a3')];
    assert.deepEqual(begun, ['a1', 'b1']);
    ends.get('a1')?.();
    assert.equal(await first, 'a1');
    const last = run('a', 'a4');
    assert.deepEqual(begun, ['a1', 'b1', 'a2'], 'what comes when one has ended waits for the others all the same');
    for (const [name, work] of Object.entries({ a2: second, a3: third, a4: last })) {
      ends.get(name)?.();
      assert.equal(await work, name);
    }
    assert.deepEqual(begun, ['a1', 'b1', 'a2', 'a3', 'a4']);
    ends.get('b1')?.();
    assert.equal(await other, 'b1');
  });

  it('fail alone: the next one runs all the same', async () => {
    const inTurn = createInTurn();
    const failing = inTurn('a', () => Promise.reject(new Error('own fault')));
    const next = inTurn('a', () => Promise.resolve('done'));
    await assert.rejects(failing, /own fault/);
    assert.equal(await next, 'done');
  });
});
