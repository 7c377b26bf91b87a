import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { until } from '../../test/support/until.ts';
import { createSharing } from './share.ts';

describe('a shared answer', () => {
  it('is that of all who ask for the same in one turn, and of nobody else', async () => {
    const { share, begun } = start();
    const answers = [share('a'), share('b'), share('a')];
    for (const key of ['a', 'b']) (await begun(key))();
    assert.deepEqual(await Promise.all(answers), ['a1', 'b1', 'a1']);
  });

  it('was never begun before it was asked for', async () => {
    const { share, begun } = start();
    const first = share('a');
    const end = await begun('a');
    const later = [share('a'), share('a')];
    end();
    assert.equal(await first, 'a1');
    (await begun('a', 2))();
    assert.deepEqual(await Promise.all(later), ['a2', 'a2']);
  });

  it('is not waited for in vain while the one before it is stuck', async () => {
    const { share, begun } = start();
    const stuck = share('a');
    const end = await begun('a');
    const later = share('a');
    (await begun('a', 2))();
    assert.equal(await later, 'a2');
    end();
    assert.equal(await stuck, 'a1');
  });

  it('is the only one under way, although one that was stuck ends meanwhile', async () => {
    const { share, begun, counts } = start();
    const stuck = share('a');
    const endStuck = await begun('a');
    const second = share('a');
    const endSecond = await begun('a', 2);
    endStuck();
    assert.equal(await stuck, 'a1');
    const third = share('a');
    await nextTurn();
    await nextTurn();
    assert.equal(counts.get('a'), 2);
    endSecond();
    (await begun('a', 3))();
    assert.deepEqual(await Promise.all([second, third]), ['a2', 'a3']);
  });

  it('that is an error is told to all who share it, and to nobody who asks afterwards', async () => {
    const sharing = createSharing<string>();
    const fail = () => sharing('a', () => Promise.reject(new Error('away')));
    const both = await Promise.allSettled([fail(), fail()]);
    assert.deepEqual(
      both.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    assert.equal(await sharing('a', () => Promise.resolve('there')), 'there');
  });
});

/** Each answer names its key and how many were begun of it, and ends when the test says so. */
function start() {
  const sharing = createSharing<string>();
  const ends = new Map<string, () => void>();
  const counts = new Map<string, number>();
  const share = (key: string) =>
    sharing(key, () => {
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      return new Promise((resolve) => ends.set(`${key}${count}`, () => resolve(`${key}${count}`)));
    });
  const begun = (key: string, count = 1) => until(() => ends.get(`${key}${count}`));
  return { share, begun, counts };
}
