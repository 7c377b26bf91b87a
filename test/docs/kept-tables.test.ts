import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createTestDatabase } from '../support/database.ts';
import { listTables } from '../support/tables.ts';
import { read } from '../support/tree.ts';

it('the page of how long things are kept has each table of the database once, and no other', async (t) => {
  const { database, drop } = await createTestDatabase();
  t.after(drop);
  const tables = await listTables(database);
  const [, rows = ''] = read('docs/keeping.md').split('\n| table | what is in it | how long | how it is deleted |\n');
  const cells = [...rows.matchAll(/^\| (`[^|]+`) \|/gm)].map(([, cell = '']) => cell);
  const told = cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name));
  assert.deepEqual(told.toSorted(), tables);
});
