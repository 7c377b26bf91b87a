import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createBacklog } from './backlog.ts';

const SOME = 100 << 10;

it('a number is busy once it has brought much, and until nothing waits any more; others are not', () => {
  const backlog = createBacklog();
  const brought = [1, 2, 3, 4].map(() => backlog.add('a', SOME));
  assert.deepEqual(brought, [false, false, true, true]);
  assert.equal(backlog.add('b', SOME), false);
  assert.equal(backlog.add('a', 1), true);
  backlog.clear();
  assert.equal(backlog.add('a', SOME), false);
});
