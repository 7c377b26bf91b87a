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
    const works = [run('a', 'a1'), run('a', 'a2'), run('b', 'b1'), run('a', 'a3')];
    assert.deepEqual(begun, ['a1', 'b1']);
    for (const [place, name] of ['a1', 'a2', 'a3'].entries()) {
      ends.get(name)?.();
      assert.equal(await works[place === 2 ? 3 : place], name);
    }
    assert.deepEqual(begun, ['a1', 'b1', 'a2', 'a3']);
    ends.get('b1')?.();
    assert.equal(await works[2], 'b1');
  });

  it('fail alone: the next one runs all the same', async () => {
    const inTurn = createInTurn();
    const failing = inTurn('a', () => Promise.reject(new Error('own fault')));
    const next = inTurn('a', () => Promise.resolve('done'));
    await assert.rejects(failing, /own fault/);
    assert.equal(await next, 'done');
  });
});
