import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRemembered } from './remember.ts';

describe('remembered answers', () => {
  it('are asked for once and believed for a time only', async () => {
    const { remembered, asked, clock } = start();
    assert.equal(await remembered.get('a'), 'a1');
    clock.ms += 999;
    assert.equal(await remembered.get('a'), 'a1');
    clock.ms += 1;
    assert.equal(await remembered.get('a'), 'a2');
    assert.deepEqual(asked, ['a', 'a']);
  });

  it('are believed from when they were asked for, not from when they came', async () => {
    const { remembered, clock } = start();
    const first = remembered.get('a');
    clock.ms += 1_000;
    await first;
    assert.equal(await remembered.get('a'), 'a2');
  });

  it('are shared by all who ask while one is under way', async () => {
    const { remembered, asked } = start();
    assert.deepEqual(await Promise.all([remembered.get('a'), remembered.get('a'), remembered.get('b')]), [
      'a1',
      'a1',
      'b1',
    ]);
    assert.deepEqual(asked, ['a', 'b']);
  });

  it('do not include failures: whoever asks next asks anew', async () => {
    const { remembered } = start({ failFirst: true });
    const both = await Promise.allSettled([remembered.get('a'), remembered.get('a')]);
    assert.deepEqual(
      both.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    assert.equal(await remembered.get('a'), 'a2');
  });

  it('stay when an older question fails after them', async () => {
    const { remembered, asked, clock, failures } = start({ holdFirst: true });
    const first = remembered.get('a');
    clock.ms += 1_000;
    assert.equal(await remembered.get('a'), 'a2');
    failures.resolve();
    await assert.rejects(first);
    assert.equal(await remembered.get('a'), 'a2');
    assert.deepEqual(asked, ['a', 'a']);
  });

  it('are forgotten when told so, and the oldest when there are too many', async () => {
    const { remembered, asked } = start();
    for (const key of ['a', 'b', 'c', 'd']) await remembered.get(key);
    assert.equal(await remembered.get('b'), 'b1');
    assert.equal(await remembered.get('a'), 'a2', 'the oldest of four');
    remembered.forget('d');
    assert.equal(await remembered.get('d'), 'd2');
    assert.equal(asked.length, 6);
  });
});

/** The first question of each key fails: at once with `failFirst`, once `failures` is resolved with `holdFirst`. */
function start({ failFirst = false, holdFirst = false } = {}) {
  const clock = { ms: 0, steadyMs: () => clock.ms };
  const asked: string[] = [];
  const failures = Promise.withResolvers<void>();
  const load = async (key: string) => {
    asked.push(key);
    const times = asked.filter((one) => one === key).length;
    if (holdFirst && times === 1) await failures.promise;
    if ((failFirst || holdFirst) && times === 1) throw new Error('not now');
    return `${key}${times}`;
  };
  return { remembered: createRemembered({ load, believedMs: 1_000, entriesMax: 3, clock }), asked, clock, failures };
}
