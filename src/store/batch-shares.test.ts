import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import { createBatchShares } from './batch-shares.ts';

const { database, drop } = await createTestDatabase();
after(drop);

const fails = (code: string) => () => database.query(`do $$ begin raise sqlstate '${code}'; end $$`);

it('a batch is half of the one before that ran out of time, and grows to the usual size when they go through', async () => {
  const shares = createBatchShares();
  const taken: number[] = [];
  const take = (name: string, work: () => Promise<unknown> = async () => undefined) =>
    shares.take(name, async (share) => {
      taken.push(share);
      return work();
    });
  for (let i = 0; i < 2; i++) await assert.rejects(take('one', fails('57014')));
  await take('another');
  while (taken.at(-1) !== 1 || taken.length < 5) await take('one');
  assert.deepEqual(taken.slice(0, 5), [1, 1 / 2, 1, 1 / 4, 1.1 / 4]);
  assert.ok(taken.length < 30, `${taken.length}`);
});

it('a batch that fails for another reason does not make the next one smaller, and none is ever nothing', async () => {
  const shares = createBatchShares();
  await assert.rejects(shares.take('one', fails('22012')));
  await assert.rejects(shares.take('one', fails('53200')));
  assert.equal(await shares.take('one', async (share) => share), 1);
  for (let i = 0; i < 30; i++) await assert.rejects(shares.take('one', fails('57014')));
  assert.equal(await shares.take('one', async (share) => Math.ceil(5_000 * share)), 1);
  assert.equal(await shares.take('one', async (share) => share), 2 ** -13 * 1.1);
});
