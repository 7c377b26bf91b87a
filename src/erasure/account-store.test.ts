import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { restingTransaction } from '../../test/support/resting-transaction.ts';
import { until } from '../../test/support/until.ts';
import { countWaitingForLocks } from '../../test/support/waiting-for-locks.ts';
import { newId } from '../kernel/ids.ts';
import { noCounts } from '../statistics/counts.ts';
import { claimDue, makeDue } from '../statistics/due-store.ts';
import { writeBuckets } from '../statistics/store.ts';
import type { Queryable } from '../store/database.ts';
import { claimDeletedAccount } from './account-store.ts';
import { eraseDeletedAccount } from './delete-account.ts';

let test: TestDatabase;
before(async () => {
  test = await createTestDatabase();
});
after(() => test.drop());

it('of two deleted accounts one node takes one and another node the other', async () => {
  const { database } = test;
  const ids = [newId(), newId()];
  const insert = "insert into account (id, name, deleted_at) select id, 'Deleted', now() from unnest($1::uuid[]) as id";
  await database.query(insert, [ids]);
  const claim = (tx: Queryable) => claimDeletedAccount(tx, 0, new Set());
  await restingTransaction(database, async (tx) => {
    const first = await claim(tx);
    const second = await restingTransaction(database, async (beside) => {
      const taken = await claim(beside);
      assert.equal(await claim(database), undefined);
      return taken;
    });
    assert.deepEqual(new Set([first, second]), new Set(ids));
  });
});

it('nothing is left of an account whose messages are being counted while it is erased', async () => {
  const { database } = test;
  const accountId = newId();
  await database.query("insert into account (id, name, deleted_at) values ($1, 'Counted', now())", [accountId]);
  await makeDue(database, 'minute', [{ account_id: accountId, bucket_at: new Date(0) }]);
  let erased: Promise<void> | undefined;
  await database.transaction(async (tx) => {
    assert.equal((await claimDue(tx, 'minute', 1)).length, 1);
    await writeBuckets(tx, [{ accountId, mode: 'live', step: 'minute', bucketMs: 0, counts: noCounts() }]);
    erased = eraseAll();
    await until(async () => (await countWaitingForLocks(database)) > 0);
  });
  await erased;
  const left = 'select from message_statistics where account_id = $1';
  assert.deepEqual(await database.query(left, [accountId]), []);
});

async function eraseAll(): Promise<void> {
  while (await eraseDeletedAccount(test.database, 0));
}
