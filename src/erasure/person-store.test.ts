import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import { firstIdOfMs, newId } from '../kernel/ids.ts';
import { claimErasures, hastenErasures, moveErasures } from './person-store.ts';

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

it('an erasure goes on that was asked for while the clock of the database was ahead, and rests once for what is under way', async () => {
  const accountId = newId();
  await database.query("insert into account (id, name) values ($1, 'Asked ahead')", [accountId]);
  await database.query(
    `insert into erasure (account_id, id, persons, mark, due_at, asked_at)
     values ($1, $2, '{+447700900714}', 'ahead', now() + interval '3 days', now() + interval '3 days'),
       ($1, $3, '{+447700900715}', 'rests', now() + interval '1 hour', now())`,
    [accountId, newId(), newId()],
  );
  const claim = () => database.transaction((tx) => claimErasures(tx, RESTS_AT, 1, new Set()));
  const go = async (step: number, afterMs: number) => {
    const rows = (await claim()).filter(({ mark }) => mark === 'ahead');
    await moveErasures(database, rows, { down_step: step, down_to: null }, afterMs);
    return rows.length;
  };
  await database.query('delete from erasure where account_id <> $1', [accountId]);
  assert.equal(await go(1, 0), 0);
  assert.equal(await hastenErasures(database), 1);
  assert.equal(await hastenErasures(database), 0);
  assert.equal(await go(1, 0), 1);
  assert.equal(await go(RESTS_AT, HOUR_MS), 1, 'the next stretch goes on at once');
  const [rests] = await database.query<{ seconds: number }>(
    "select extract(epoch from due_at - now())::float8 as seconds from erasure where mark = 'ahead'",
  );
  assert.ok(rests !== undefined && rests.seconds > 3_000 && rests.seconds <= 3_600, `${rests?.seconds} s`);
});
