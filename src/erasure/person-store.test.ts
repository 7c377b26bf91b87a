import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import { firstIdOfMs, newId } from '../kernel/ids.ts';
import { claimErasures } from './person-store.ts';

const { database, drop } = await createTestDatabase();
after(drop);

const RESTS_AT = 7;
const HOUR_MS = 3_600_000;

it('an erasure waits for each send from before its own time, also beside one of its account that need not wait', async () => {
  const [accountId, nowMs] = [newId(), Date.now()];
  await database.query("insert into account (id, name) values ($1, 'Erasing')", [accountId]);
  for (const [person, hours] of [
    ['+447700900711', 3],
    ['+447700900712', 1],
  ] as const)
    await database.query(
      'insert into erasure (account_id, id, persons, mark, due_at, down_step) values ($1, $2, $3, $4, $5, $6)',
      [accountId, newId(), [person], person, new Date(nowMs - hours * HOUR_MS), RESTS_AT],
    );
  await database.query(
    `insert into request (account_id, id, node_id, mode, channel_id, key_id, type, message_ids, intent)
     values ($1, $2, $1, 'test', $1, $1, 'text', '{}', '{}')`,
    [accountId, firstIdOfMs(nowMs - 2 * HOUR_MS)],
  );
  const claimed = async () => {
    const rows = await database.transaction((tx) => claimErasures(tx, RESTS_AT, 9, new Set()));
    return rows.flatMap(({ persons }) => persons);
  };
  assert.deepEqual(await claimed(), ['+447700900711']);
  await database.query("delete from erasure where mark = '+447700900711'");
  assert.deepEqual(await claimed(), []);
  await database.query('update request set intent = null, completed_at = now()');
  assert.deepEqual(await claimed(), ['+447700900712']);
  // One that has yet to begin would pass over the steps before.
  await database.query(
    `insert into erasure (account_id, id, persons, mark, due_at) values ($1, $2, $3, 'new', now() - interval '1 minute')`,
    [accountId, newId(), ['+447700900713']],
  );
  assert.deepEqual(await claimed(), ['+447700900712']);
});
