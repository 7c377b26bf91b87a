import assert from 'node:assert/strict';
import { it } from 'node:test';
import { pino } from 'pino';
import { createTestDatabase } from '../test/support/database.ts';
import type { Database } from './store/database.ts';
import { warnOfSurroundings } from './surroundings.ts';

it('a start warns of a database whose texts the system below its server orders otherwise than before', async (t) => {
  const plain = await createTestDatabase({ migrated: false });
  t.after(plain.drop);
  assert.deepEqual(await warningsOf(plain.database), []);
  // The locale of the tests' own server is C, which has no version.
  const { database, drop } = await createTestDatabase({ locale: "locale_provider icu icu_locale 'en-US'" });
  t.after(drop);
  assert.deepEqual(await warningsOf(database), []);
  await database.query(`update pg_database set datcollversion = '0' where datname = current_database()`);
  assert.deepEqual(await warningsOf(database), ['0']);
  const [row] = await database.query<{ name: string }>('select current_database() as name');
  await database.query(`alter database ${row?.name} refresh collation version`);
  assert.deepEqual(await warningsOf(database), []);
});

/** With which versions the texts were put in order of which a start warns. */
async function warningsOf(database: Database): Promise<unknown[]> {
  const lines: { msg: string; made_with?: string }[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(JSON.parse(line)) });
  await warnOfSurroundings(database, log);
  return lines.filter(({ msg }) => msg === 'database.order_changed').map((line) => line.made_with);
}
