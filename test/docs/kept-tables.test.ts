import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createTestDatabase } from '../support/database.ts';
import { listTables } from '../support/tables.ts';
import { read } from '../support/tree.ts';
import { firstColumn } from './first-column.ts';

it('the page of how long things are kept has each table of the database once, and no other', async (t) => {
  const { database, drop } = await createTestDatabase();
  t.after(drop);
  const tables = await listTables(database);
  const [, rows = ''] = read('docs/keeping.md').split('\n| table | what is in it | how long | how it is deleted |\n');
  assert.deepEqual(firstColumn(rows).toSorted(), tables);
});
