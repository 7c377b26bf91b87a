import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { endDeletions } from '../../test/support/erasures.ts';
import { until } from '../../test/support/until.ts';
import { countWaitingForLocks } from '../../test/support/waiting-for-locks.ts';
import { idTimeMs, newId } from '../kernel/ids.ts';
import { countDue } from '../statistics/count-due.ts';
import { makeDue } from '../statistics/due-store.ts';
import { bucketOf } from '../statistics/step.ts';
import type { Database } from '../store/database.ts';

let test: TestDatabase;
before(async () => {
  test = await createTestDatabase();
});
after(() => test.drop());

it('an account is erased with what is counted of its messages in that moment', async () => {
  const { database } = test;
  const [accountId, messageId] = [newId(), newId()];
  const bucketAt = new Date(bucketOf(idTimeMs(messageId), 'minute'));
  await database.query(`insert into account (id, name, deleted_at) values ($1, 'Leaving', now())`, [accountId]);
  await database.query(
    `insert into message (account_id, id, request_id, channel_id, mode, direction, type, status, updated_at)
     values ($1, $2, $2, $2, 'test', 'outbound', 'text', 'accepted', now())`,
    [accountId, messageId],
  );
  await makeDue(database, 'minute', [{ account_id: accountId, bucket_at: bucketAt }]);
  let erasing: Promise<void> | undefined;
  const held: Database = {
    ...database,
    transaction: (work, limits) =>
      database.transaction(async (tx) => {
        const result = await work(tx);
        erasing = endDeletions(database);
        await until(async () => (await countWaitingForLocks(database)) === 1);
        return result;
      }, limits),
  };
  assert.equal(await countDue(held, 'minute', () => 0), 1);
  await erasing;
  assert.deepEqual(await database.query('select 1 from account where id = $1', [accountId]), []);
  assert.deepEqual(await database.query('select 1 from message_statistics where account_id = $1', [accountId]), []);
});
