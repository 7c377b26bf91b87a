import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { restingTransaction } from '../../test/support/resting-transaction.ts';
import { firstIdOfMs, newId } from '../kernel/ids.ts';
import { keepLimits } from '../kernel/keep.ts';
import type { Queryable } from '../store/database.ts';
import {
  claimNotification,
  claimNotifications,
  findNotification,
  hastenNotifications,
  listNotifications,
  type NotificationState,
  reprocessNotification,
} from './store.ts';

const NOW_MS = Date.now();
const LIMITS = keepLimits({ messages: 90, content: 30, events: 30, notifications: 7, setAside: 30 }, NOW_MS);

let test: TestDatabase;
before(async () => {
  test = await createTestDatabase();
});
after(() => test.drop());

/** Returns its id. */
async function write(state: NotificationState, cameMs: number, appliedMs: number | null = null): Promise<string> {
  const id = firstIdOfMs(cameMs);
  await test.database.query(
    "insert into notification (id, origin, body, state, applied_at) values ($1, 'live', 'x', $2, $3)",
    [id, state, appliedMs === null ? null : new Date(appliedMs)],
  );
  return id;
}

it('a notification is shown, alone and in the list, and made due again, within its time and no longer', async () => {
  const { database } = test;
  const { appliedFromMs, setAsideFromMs } = LIMITS;
  const young = {
    waiting: await write('waiting', setAsideFromMs - 2),
    setAside: await write('set_aside', setAsideFromMs),
    applied: await write('applied', setAsideFromMs - 3, appliedFromMs),
  };
  const old = [
    await write('set_aside', setAsideFromMs - 1),
    await write('applied', setAsideFromMs + 1, appliedFromMs - 1),
  ];
  const listed = async (state: NotificationState | null) =>
    (await listNotifications(database, { state, before: null, limit: 9 }, LIMITS)).map(({ id }) => id);
  assert.deepEqual(await listed(null), [young.setAside, young.waiting, young.applied]);
  assert.deepEqual(await listed('set_aside'), [young.setAside]);
  assert.deepEqual(await listed('applied'), [young.applied]);
  assert.deepEqual(await listed('waiting'), [young.waiting]);
  for (const id of Object.values(young)) assert.equal((await findNotification(database, id, LIMITS))?.id, id);
  for (const id of old) {
    assert.equal(await findNotification(database, id, LIMITS), undefined);
    assert.equal(await reprocessNotification(database, id, LIMITS), undefined);
  }
  assert.equal(await reprocessNotification(database, young.applied, LIMITS), undefined);
  for (const id of [young.waiting, young.setAside])
    assert.equal((await reprocessNotification(database, id, LIMITS))?.state, 'waiting');
});

it('a notification that one node is at work on is left to it by the others', async () => {
  const { database } = test;
  const id = await write('waiting', NOW_MS);
  const claims = [
    async (store: Queryable) => (await claimNotification(store, id))?.id,
    async (store: Queryable) => (await claimNotifications(store, 9, 1_000)).find((one) => one.id === id)?.id,
  ];
  for (const claim of claims) {
    await restingTransaction(database, async (tx) => {
      assert.equal(await claim(tx), id);
      for (const other of claims) assert.equal(await other(database), undefined);
    });
  }
});

it('a notification that waits since before the clock of the database was set back is due, and none that was put off for a day', async () => {
  const { database } = test;
  const put = async (state: NotificationState, next: string) => {
    const id = newId();
    await database.query(
      "insert into notification (id, origin, body, state, next_at) values ($1, 'live', 'x', $2, now() + $3::interval)",
      [id, state, next],
    );
    return id;
  };
  const stuck = await put('waiting', '1 day 1 minute');
  const [waits, setAside] = [await put('waiting', '1 day'), await put('set_aside', '40 days')];
  assert.equal(await hastenNotifications(database), 1);
  assert.equal(await hastenNotifications(database), 0);
  const due = await database.query<{ id: string }>(
    'select id from notification where id = any($1) and next_at <= now()',
    [[stuck, waits, setAside]],
  );
  assert.deepEqual(due, [{ id: stuck }]);
});
