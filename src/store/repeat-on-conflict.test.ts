import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DatabaseError } from 'pg';
import { StoreUnavailable } from '../kernel/store-unavailable.ts';
import { repeatOnConflict } from './repeat-on-conflict.ts';

const DEADLOCK = withCode('40P01');
const NOT_SERIALIZABLE = withCode('40001');

describe('a transaction that others get in the way of', () => {
  it('is run three times at most', async () => {
    assert.deepEqual(await run(DEADLOCK, NOT_SERIALIZABLE), { result: 'done', runs: 3 });
    assert.deepEqual(await run(DEADLOCK, DEADLOCK, DEADLOCK), { result: DEADLOCK, runs: 3 });
  });

  it('is run once where the store is away, or the fault is ours', async () => {
    for (const error of [new StoreUnavailable('It is away', false), withCode('23505'), new Error('Ours')])
      assert.deepEqual(await run(error), { result: error, runs: 1 });
  });
});

/** A transaction that fails with each of these errors first. */
async function run(...errors: unknown[]): Promise<{ result: unknown; runs: number }> {
  let runs = 0;
  const transaction = async () => {
    const error = errors[runs++];
    if (error !== undefined) throw error;
    return 'done';
  };
  const result = await repeatOnConflict(transaction).catch((error: unknown) => error);
  return { result, runs };
}

function withCode(code: string): DatabaseError {
  return Object.assign(new DatabaseError('refused', 7, 'error'), { code });
}
