import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createCatchUp } from './catch-up.ts';

it('streams of one account that are behind take turns, and those of others do not wait for them', () => {
  const takePage = createCatchUp(60_000);
  const waits = ['one', 'one', 'other', 'one'].map((accountId) => Math.round(takePage(accountId) / 1_000));
  assert.deepEqual(waits, [0, 60, 0, 120]);
});

it('an account that has rested begins at once, and has not saved turns', () => {
  const takePage = createCatchUp(60_000);
  for (let account = 0; account < 5_000; account++) assert.equal(takePage(`account ${account}`), 0);
  assert.ok(takePage('account 4999') > 59_000);
  const takeAtOnce = createCatchUp(0);
  for (let page = 0; page < 1_000; page++) assert.equal(takeAtOnce('one'), 0);
});
