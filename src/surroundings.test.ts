import assert from 'node:assert/strict';
import { it } from 'node:test';
import { pino } from 'pino';
import { createTestDatabase } from '../test/support/database.ts';
import { type Database, openDatabase } from './store/database.ts';
import { warnOfSurroundings } from './surroundings.ts';

it('a start warns of a database whose texts the system below its server orders otherwise than before', async (t) => {
  const { database, url, drop } = await createTestDatabase({ migrated: false });
  t.after(drop);
  assert.deepEqual(await warningsOf(database), []);
  const name = `waypost_test_order_${process.pid}`;
  // The locale of the tests' own server is C, which has no version.
  await database.query(`create database ${name} locale_provider icu icu_locale 'en-US' template template0`);
  const address = new URL(url);
  address.pathname = `/${name}`;
  const ordered = openDatabase({ connection: { url: address.href }, connections: 1, onError: () => undefined });
  try {
    assert.deepEqual(await warningsOf(ordered), []);
    await ordered.query(`update pg_database set datcollversion = '0' where datname = current_database()`);
    assert.deepEqual(await warningsOf(ordered), ['0']);
    await ordered.query(`alter database ${name} refresh collation version`);
    assert.deepEqual(await warningsOf(ordered), []);
  } finally {
    await ordered.close();
    await database.query(`drop database ${name} with (force)`);
  }
});

/** With which versions the texts were put in order of which a start warns. */
async function warningsOf(database: Database): Promise<unknown[]> {
  const lines: { msg: string; made_with?: string }[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(JSON.parse(line)) });
  await warnOfSurroundings(database, log);
  return lines.filter(({ msg }) => msg === 'database.order_changed').map((line) => line.made_with);
}
