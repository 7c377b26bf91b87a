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
    const { remembered } = start({ fail: [1] });
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

  it('are asked for anew before they are over, once, and nobody waits', async () => {
    const { remembered, asked, clock } = start({ aheadMs: 400 });
    await remembered.get('a');
    clock.ms += 599;
    await remembered.get('a');
    assert.deepEqual(asked, ['a']);
    clock.ms += 1;
    assert.deepEqual(await Promise.all([remembered.get('a'), remembered.get('a')]), ['a1', 'a1']);
    assert.deepEqual(asked, ['a', 'a']);
    assert.equal(await remembered.get('a'), 'a2');
    clock.ms += 999;
    assert.equal(await remembered.get('a'), 'a2', 'it is believed from when it was asked for');
  });

  it('that were asked for anew are believed from then on, and not from when they came', async () => {
    const { remembered, clock } = start({ aheadMs: 400, laterMs: 300 });
    await remembered.get('a');
    clock.ms += 700;
    await remembered.get('a');
    assert.equal(clock.ms, 1_000, 'it has come');
    clock.ms += 700;
    assert.equal(await remembered.get('a'), 'a3');
  });

  it('that were asked for anew do not come back after they were forgotten', async () => {
    const { remembered, clock } = start({ aheadMs: 400 });
    await remembered.get('a');
    clock.ms += 700;
    const before = remembered.get('a');
    remembered.forgetAll();
    assert.equal(await remembered.get('a'), 'a3');
    assert.equal(await before, 'a1');
    assert.equal(await remembered.get('a'), 'a3');
  });

  it('hold until they are over if asking anew fails, and no longer', async () => {
    const { remembered, asked, clock } = start({ aheadMs: 400, fail: [2] });
    await remembered.get('a');
    clock.ms += 700;
    assert.deepEqual([await remembered.get('a'), await remembered.get('a')], ['a1', 'a1']);
    assert.equal(asked.length, 2);
    clock.ms += 300;
    assert.equal(await remembered.get('a'), 'a3');
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

  it('that were asked for anew are not the oldest', async () => {
    const { remembered, clock } = start({ aheadMs: 400 });
    await remembered.get('a');
    clock.ms += 500;
    for (const key of ['b', 'c']) await remembered.get(key);
    clock.ms += 400;
    await remembered.get('a');
    assert.equal(await remembered.get('a'), 'a2');
    await remembered.get('d');
    assert.deepEqual([await remembered.get('a'), await remembered.get('b')], ['a2', 'b2']);
  });
});

/**
 * The questions of a key whose numbers are in `fail` fail at once; with `holdFirst` the first one fails once `failures` is
 * resolved. All but the first answer of a key come after `laterMs`.
 */
function start({ fail = [] as number[], holdFirst = false, aheadMs = 0, laterMs = 0 } = {}) {
  const clock = { ms: 0, steadyMs: () => clock.ms };
  const asked: string[] = [];
  const failures = Promise.withResolvers<void>();
  const load = async (key: string) => {
    asked.push(key);
    const times = asked.filter((one) => one === key).length;
    if (holdFirst && times === 1) await failures.promise;
    if (fail.includes(times) || (holdFirst && times === 1)) throw new Error('not now');
    if (times > 1) clock.ms += laterMs;
    return `${key}${times}`;
  };
  const remembered = createRemembered({ load, believedMs: 1_000, aheadMs, entriesMax: 3, clock });
  return { remembered, asked, clock, failures };
}
