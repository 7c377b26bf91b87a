import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { restingTransaction } from '../../test/support/resting-transaction.ts';
import { TASKS } from './keep-round.ts';
import { claimTask, moveTask } from './task-store.ts';

let test: TestDatabase;
before(async () => {
  test = await createTestDatabase();
});
after(() => test.drop());

it('each task has its row, without which it would never run', async () => {
  const rows = await test.database.query<{ task: string }>('select task from keeping');
  assert.deepEqual(rows.map(({ task }) => task).toSorted(), TASKS.map(({ name }) => name).toSorted());
});

it('a task that one node is at work on is left to it by the others', async () => {
  const { database } = test;
  const [row] = await database.query<{ task: string }>('update keeping set due_at = now() returning task');
  assert.ok(row);
  await restingTransaction(database, async (tx) => {
    assert.ok(await claimTask(tx, row.task));
    assert.equal(await claimTask(database, row.task), undefined);
  });
  assert.ok(await claimTask(database, row.task));
});

it('a task that is done rests for its time, and no other one with it', async () => {
  const { database } = test;
  const rows = await database.query<{ task: string }>('update keeping set due_at = now() returning task');
  const [done, other] = rows.map(({ task }) => task);
  assert.ok(done !== undefined && other !== undefined);
  await moveTask(database, done, { place: 'event_2026', block: 7 }, 3_600);
  assert.equal(await claimTask(database, done), undefined);
  assert.deepEqual((await claimTask(database, other))?.progress, { place: null, block: 0 });
  await moveTask(database, done, { place: 'event_2026', block: 7 }, 0);
  assert.deepEqual((await claimTask(database, done))?.progress, { place: 'event_2026', block: 7 });
});
