import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withinMs } from './within-ms.ts';

const LONG_MS = 600_000;
const never = new Promise<string>(() => {});
const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

describe('what is waited for', () => {
  it('is told as it comes, and then no timer is left of the wait', async () => {
    const before = timers();
    assert.equal(await withinMs(Promise.resolve('told'), LONG_MS, () => 'late'), 'told');
    await assert.rejects(
      withinMs(Promise.reject(new Error('away')), LONG_MS, () => 'late'),
      /away/,
    );
    assert.equal(timers(), before);
  });

  it('is given up after its time, with what is returned or thrown then', async () => {
    assert.equal(await withinMs(never, 1, () => 'late'), 'late');
    const fail = () => {
      throw new Error('too slow');
    };
    await assert.rejects(withinMs(never, 1, fail), /too slow/);
  });
});
