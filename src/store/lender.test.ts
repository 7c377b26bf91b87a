import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { it } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import { StoreUnavailable } from '../kernel/store-unavailable.ts';
import { openDatabase } from './database.ts';

const GIVEN = 2;
const CALLERS = 30;

it('where the server gives fewer connections than wished, callers wait for those that are open', async (t) => {
  const test = await createTestDatabase({ migrated: false });
  const role = `few_${randomBytes(4).toString('hex')}`;
  await test.database.query(`create role ${role} login password '${role}' connection limit ${GIVEN}`);
  const url = new URL(test.url);
  url.username = role;
  url.password = role;
  const database = openDatabase({ connection: { url: url.href }, connections: 10, onError: () => undefined });
  t.after(async () => {
    await database.close();
    await test.database.query(`drop role ${role}`);
    await test.drop();
  });
  await database.query('select 1');
  const work = () => database.transaction((tx) => tx.query('select pg_sleep(0.02)'));
  for (let round = 0; round < 3; round += 1) {
    const done = await Promise.allSettled(Array.from({ length: CALLERS }, work));
    assert.deepEqual(new Set(done.map(({ status }) => status)), new Set(['fulfilled']), `round ${round}`);
  }
  const { total, waiting } = database.connections();
  assert.deepEqual([total, waiting], [GIVEN, 0]);

  // Whoever holds them all for longer than a caller waits is still no reason to wait for ever.
  const holding = Array.from({ length: GIVEN }, () => database.transaction((tx) => tx.query('select pg_sleep(5)')));
  await assert.rejects(work(), StoreUnavailable);
  await Promise.all(holding);
  await work();
});
