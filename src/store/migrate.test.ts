import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { startDatabaseProxy } from '../../test/support/database-proxy.ts';
import { freezeSchema } from '../../test/support/freeze-schema.ts';
import { until } from '../../test/support/until.ts';
import { type Database, openDatabase } from './database.ts';
import { migrate } from './migrate.ts';

let test: TestDatabase;
let migrationsDir: string;

beforeEach(async () => {
  test = await createTestDatabase({ migrated: false });
  migrationsDir = await mkdtemp(join(tmpdir(), 'waypost-migrations-'));
  await writeMigration('0001_first.sql', 'create table first (id integer); insert into first values (1);');
  await writeMigration('0002_second.sql', 'create table second (id integer); insert into second select id from first;');
});
afterEach(async () => {
  await test.drop();
  await rm(migrationsDir, { recursive: true });
});

describe('migrate', () => {
  it('applies each file once when 20 processes start at the same time', async () => {
    const starters = Array.from({ length: 20 }, () =>
      openDatabase({ connection: test.connection, connections: 2, onError: () => undefined }),
    );
    const made = await Promise.all(starters.map((database) => migrate(database, migrationsDir)));
    assert.equal(made.filter(Boolean).length, 1, 'one of them made the schema');
    await Promise.all(starters.map((database) => database.close()));
    assert.deepEqual(await applied(), [1, 2]);
    assert.deepEqual(await test.database.query('select id from second'), [{ id: 1 }]);
  });

  it('is not in the way of others while somebody, such as a dump, uses a table that it changes', async () => {
    const { database } = test;
    await migrate(database, migrationsDir);
    await writeMigration('0003_third.sql', 'alter table first add column more integer;');
    const waits = Promise.withResolvers<void>();
    let migrating: Promise<boolean> | undefined;
    await database.transaction(async (dump) => {
      await dump.query('select 1 from first');
      migrating = migrate(database, migrationsDir, { waits: waits.resolve });
      await waits.promise;
      await database.query('insert into first values (2)');
    });
    await migrating;
    assert.deepEqual(await applied(), [1, 2, 3]);
  });

  it('gets its locks although others, as under full load, use the table without a break', async () => {
    const { database } = test;
    await migrate(database, migrationsDir);
    await writeMigration('0003_third.sql', 'alter table first add column more integer;');
    let migrated = false;
    // So many that there is hardly a moment in which none of them has the table for another 100 ms.
    const use = async () => {
      while (!migrated)
        await database.query('select pg_sleep(0.2 + random() * 0.2) from (select count(*) from first) as used');
    };
    const uses = Array.from({ length: 8 }, use);
    await migrate(database, migrationsDir).finally(() => {
      migrated = true;
    });
    await Promise.all(uses);
    assert.deepEqual(await applied(), [1, 2, 3]);
  });

  it('holds nobody up any more once its process is gone, however long its statement would take', async () => {
    const { database } = test;
    await migrate(database, migrationsDir);
    await writeMigration('0003_third.sql', 'lock table first in share mode; select pg_sleep(600);');
    const proxy = await startDatabaseProxy(test.url);
    const ended = openDatabase({ connection: { url: proxy.url }, connections: 1, onError: () => undefined });
    const migrating = assert.rejects(migrate(ended, migrationsDir), /The database is not available/);
    const works = `select 1 from pg_stat_activity where datname = current_database() and state = 'active' and wait_event = 'PgSleep'`;
    await until(async () => (await database.query(works)).length > 0);
    proxy.cut();
    await migrating;
    // The time limit of this statement is 30 s.
    await database.query('insert into first values (2)');
    assert.deepEqual(await applied(), [1, 2]);
    await ended.close();
    await proxy.close();
  });

  it('tells of each migration of a schema that is there before it applies it, and of none of a new one', async () => {
    const { database } = test;
    const told: string[] = [];
    const news = {
      applies: ({ number, name, last }: { number: number; name: string; last: number }) => {
        told.push(`${number} of ${last}: ${name}`);
      },
    };
    await migrate(database, migrationsDir, news);
    assert.deepEqual(told, []);
    await writeMigration('0003_third.sql', 'alter table first add column more integer;');
    await writeMigration('0004_fourth.sql', 'select 1 / 0;');
    await assert.rejects(migrate(database, migrationsDir, news), { code: '22012' });
    assert.deepEqual(told, ['3 of 4: third', '4 of 4: fourth'], 'also of one that then fails');
    await writeMigration('0004_fourth.sql', 'create table fourth (id integer);');
    const waits = Promise.withResolvers<void>();
    await writeMigration('0005_fifth.sql', 'alter table first add column most integer;');
    told.length = 0;
    let migrating: Promise<boolean> | undefined;
    await database.transaction(async (dump) => {
      await dump.query('select 1 from first');
      migrating = migrate(database, migrationsDir, { ...news, waits: waits.resolve });
      await waits.promise;
    });
    await migrating;
    assert.deepEqual(told, ['4 of 5: fourth', '5 of 5: fifth'], 'once each, however often it is tried');
    await migrate(database, migrationsDir, news);
    assert.equal(told.length, 2, 'nothing was left to apply');
  });

  it('refuses a file that has changed since it was applied, and names it', async () => {
    await migrate(test.database, migrationsDir);
    await writeMigration('0001_first.sql', 'create table other (id integer);');
    await assert.rejects(migrate(test.database, migrationsDir), /0001_first\.sql has changed/);
  });

  it('takes a file with the line ends of another system for the same', async () => {
    await writeMigration('0001_first.sql', 'create table first (id integer);\ninsert into first values (1);\n');
    await migrate(test.database, migrationsDir);
    await writeMigration('0001_first.sql', 'create table first (id integer);\r\ninsert into first values (1);\r\n');
    await migrate(test.database, migrationsDir);
  });

  it('accepts a newer schema, so that an older version can run beside a newer one', async () => {
    await writeMigration('0003_third.sql', 'create table third (id integer);');
    await migrate(test.database, migrationsDir);
    await rm(join(migrationsDir, '0003_third.sql'));
    await migrate(test.database, migrationsDir);
  });

  it('changes nothing of a schema that is up to date, so that a gateway starts while the database refuses changes of it', async () => {
    const { database } = test;
    await migrate(database, migrationsDir);
    await freezeSchema(database);
    assert.equal(await migrate(database, migrationsDir), false);
    await writeMigration('0003_third.sql', 'create table third (id integer);');
    await assert.rejects(migrate(database, migrationsDir), /CREATE TABLE is frozen/);
  });

  it('refuses a newer schema whose migration is marked breaking', async () => {
    await writeMigration('0003_third.sql', '-- breaking\ndrop table second;');
    await migrate(test.database, migrationsDir);
    await migrate(test.database, migrationsDir);
    await rm(join(migrationsDir, '0003_third.sql'));
    await assert.rejects(migrate(test.database, migrationsDir), /migration 3 \(third\).*newer version/);
  });

  it('rolls a failing file back as a whole, and keeps those before it', async () => {
    await writeMigration('0003_third.sql', 'create table third (id integer); select 1 / 0;');
    await assert.rejects(migrate(test.database, migrationsDir), { code: '22012' });
    assert.deepEqual(await applied(), [1, 2]);
    assert.deepEqual(await test.database.query(`select to_regclass('third') as name`), [{ name: null }]);
  });

  async function inEncoding(encoding: string, use: (database: Database) => Promise<void>): Promise<void> {
    const { database, drop } = await createTestDatabase({
      locale: `encoding '${encoding}' locale_provider libc lc_collate 'C' lc_ctype 'C'`,
    });
    await use(database).finally(drop);
  }

  it('refuses a database whose encoding has no place for what people write, before it changes anything', () =>
    inEncoding('LATIN1', async (latin) => {
      await assert.rejects(migrate(latin, migrationsDir), /encoding of the database is LATIN1, and must be UTF8/);
      assert.deepEqual(await latin.query(`select to_regclass('migration') as name`), [{ name: null }]);
    }));

  it('refuses a server that is older than 15, before it changes anything', async () => {
    await test.database.query(`
      create function current_setting(name text) returns text language sql return
        case name when 'server_version_num' then '140099' else pg_catalog.current_setting(name) end`);
    const url = new URL(test.url);
    url.searchParams.set('options', '-c search_path=public,pg_catalog');
    const old = openDatabase({ connection: { url: url.href }, connections: 1, onError: () => undefined });
    try {
      await assert.rejects(migrate(old, migrationsDir), /Waypost needs 15 or newer/);
      assert.deepEqual(await old.query(`select to_regclass('migration') as name`), [{ name: null }]);
    } finally {
      await old.close();
    }
  });

  it('takes a database without an encoding, as a server without a locale makes it, and keeps every text there', () =>
    inEncoding('SQL_ASCII', async (plain) => {
      await migrate(plain, migrationsDir);
      const [row] = await plain.query('select $1::text as text, $2::jsonb as json', ['Grüße 👋', { text: 'Grüße 👋' }]);
      assert.deepEqual(row, { text: 'Grüße 👋', json: { text: 'Grüße 👋' } });
    }));

  it('refuses a gap in the numbers and a file that is no migration', async () => {
    await writeMigration('0004_fourth.sql', 'select 1;');
    await assert.rejects(migrate(test.database, migrationsDir), /0004_fourth\.sql should have the number 3/);
    await writeMigration('notes.txt', '');
    await assert.rejects(migrate(test.database, migrationsDir), /notes\.txt is not named as a migration/);
    assert.deepEqual(await test.database.query(`select to_regclass('migration') as name`), [{ name: null }]);
  });
});

async function writeMigration(file: string, sql: string): Promise<void> {
  await writeFile(join(migrationsDir, file), sql);
}

async function applied(): Promise<number[]> {
  const rows = await test.database.query<{ number: number }>('select number from migration order by number');
  return rows.map((row) => row.number);
}
