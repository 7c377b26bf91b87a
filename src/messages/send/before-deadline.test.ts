import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { it } from 'node:test';
import { beforeDeadline } from './before-deadline.ts';

const never = new Promise<string>(() => {});

it('what does not come is not waited for beyond the deadline, nor at all once that has passed', async () => {
  const deadline = new AbortController();
  const asked = beforeDeadline(never, deadline.signal, 'late');
  deadline.abort();
  assert.equal(await asked, 'late');
  assert.equal(await beforeDeadline(never, deadline.signal, 'late'), 'late');
});

it('what comes in time leaves nothing at the deadline, which many wait for', async () => {
  const { signal } = new AbortController();
  assert.equal(await beforeDeadline(Promise.resolve('told'), signal, 'late'), 'told');
  await assert.rejects(beforeDeadline(Promise.reject(new Error('away')), signal, 'late'), /away/);
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});
