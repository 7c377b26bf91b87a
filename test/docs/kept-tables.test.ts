import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createTestDatabase } from '../support/database.ts';
import { read } from '../support/tree.ts';

const TABLES = `
  select relname as name from pg_class
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`;

it('the page of how long things are kept has each table of the database once, and no other', async (t) => {
  const { database, drop } = await createTestDatabase();
  t.after(drop);
  const tables = await database.query<{ name: string }>(TABLES);
  const [, rows = ''] = read('docs/keeping.md').split('\n| table | what is in it | how long | how it is deleted |\n');
  const cells = [...rows.matchAll(/^\| (`[^|]+`) \|/gm)].map(([, cell = '']) => cell);
  const told = cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name));
  assert.deepEqual(told.toSorted(), tables.map(({ name }) => name).toSorted());
});
