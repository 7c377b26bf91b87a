import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { restingTransaction } from '../../test/support/resting-transaction.ts';
import { firstIdOfMs } from '../kernel/ids.ts';
import { keepLimits } from '../kernel/keep.ts';
import type { Queryable } from '../store/database.ts';
import {
  claimNotification,
  claimNotifications,
  findNotification,
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
