import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';

/** An unlogged table is in no publication. */
const WITHOUT_IDENTITY = `
  select relname as name from pg_class c
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relpersistence = 'p' and relreplident = 'd'
    and not exists (select from pg_index where indrelid = c.oid and indisprimary)`;

it('every table can be written to while a publication for all tables has it', async (t) => {
  const { database, drop } = await createTestDatabase();
  t.after(drop);
  assert.deepEqual(await database.query(WITHOUT_IDENTITY), []);
});
