import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import { openDatabase } from './database.ts';
import { readInstallation } from './installation.ts';
import { migrate } from './migrate.ts';

it('a start on another schema makes a new installation, and knows of the one that is there', async (t) => {
  const { database, url, drop } = await createTestDatabase();
  const elsewhere = new URL(url);
  elsewhere.searchParams.set('options', '-c search_path=elsewhere');
  const other = openDatabase({ connection: { url: elsewhere.href }, connections: 2, onError: () => undefined });
  t.after(async () => {
    await other.close();
    await drop();
  });
  assert.equal(await migrate(database), false);
  const first = await readInstallation(database);
  assert.deepEqual([first.schema, first.other_schemas], ['public', []]);
  assert.equal(`/${first.database}`, elsewhere.pathname);
  await database.query('create schema elsewhere');
  assert.equal(await migrate(other), true);
  assert.deepEqual(await readInstallation(other), { ...first, schema: 'elsewhere', other_schemas: ['public'] });
});
