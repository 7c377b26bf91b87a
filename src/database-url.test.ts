import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import dns from 'node:dns';
import { describe, it, type TestContext } from 'node:test';
import { createTestDatabase } from '../test/support/database.ts';
import { loadConfig } from './config.ts';
import { tellDatabase } from './database-url.ts';
import { openDatabase } from './store/database.ts';
import { migrate } from './store/migrate.ts';

describe('a DATABASE_URL that cannot be used is told by its name, in a sentence without its password', () => {
  for (const [how, url] of [
    ['cannot be reached by its address', 'postgresql://user:hidden-word@127.0.0.1:1/waypost'],
    ['cannot be reached by its name', 'postgresql://user:hidden-word@localhost:1/waypost'],
    ['is not well formed', 'postgresql://user:hidden-word@local host:port/waypost'],
    ['is that of another database', 'mysql://user:hidden-word@127.0.0.1:1/waypost'],
    ['has signs in its password as they are', 'postgresql://user:1@hidden-word/2@127.0.0.1:1/waypost'],
    ['has a question mark in its password', 'postgresql://user:1@hidden-word?2@127.0.0.1:1/waypost'],
    ['has a number sign in its password', 'postgresql://user:1@hidden-word#2@127.0.0.1:1/waypost'],
    ['names several hosts', 'postgresql://user:hidden-word@127.0.0.1,127.0.0.2/waypost'],
    ['is no URL', 'host=127.0.0.1 user=user password=hidden-word'],
  ] as const)
    it(`because it ${how}`, async () => {
      const said = await refusalOf(url);
      assert.match(said, /^(Error: |ConfigError: The settings are not valid:\n {2}- )DATABASE_URL .*\w.*$/);
      assert.doesNotMatch(said, /hidden-word/);
      assert.doesNotMatch(said, /available: *$/, 'it says why');
      assert.doesNotMatch(said, /ENOTFOUND/, 'no part of it is taken for the name of a host');
    });

  it('because none of the addresses of its name can be reached', async (t) => {
    const addresses = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }));
    t.mock.method(dns, 'lookup', (...[, , tell]: [string, object, (error: null, found: object[]) => void]) => {
      tell(null, addresses);
    });
    const said = await refusalOf('postgresql://user:hidden-word@database.example:1/waypost');
    assert.match(said, /^Error: DATABASE_URL .* available: connect E\w+ 127\.0\.0\.1:1, connect E\w+ 127\.0\.0\.2:1$/);
  });

  it('because its user does not own the database', async (t) => {
    const { database, url, drop } = await createTestDatabase({ migrated: false });
    const role = `stranger_${randomBytes(4).toString('hex')}`;
    await database.query(`create role ${role} login password 'hidden-word'`);
    t.after(async () => {
      await database.query(`drop role ${role}`);
      await drop();
    });
    const said = await refusalOf(Object.assign(new URL(url), { username: role, password: 'hidden-word' }).href);
    assert.match(said, /^Error: DATABASE_URL must name a .* that its user owns: permission denied for schema public$/);
  });

  for (const [how, sql, sentence] of [
    [
      'has another program’s table',
      'create table account (id int)',
      /that nothing else has tables in: .* "account" already exists$/,
    ],
    [
      'has another program’s list of migrations',
      'create table migration (id int)',
      /that nothing else has tables in: .*number/,
    ],
    [
      'has another program’s type',
      "create type mode as enum ('fast')",
      /that nothing else has tables in: type "mode" already exists$/,
    ],
    [
      'has another program’s function',
      "create function uuid_bound(at timestamptz) returns uuid language sql as 'select gen_random_uuid()'",
      /that nothing else has tables in: function "uuid_bound" already exists/,
    ],
    ['has no schema for its tables', 'drop schema public', /that its user owns: no schema has been selected/],
  ] as const)
    it(`because the database ${how}`, async (t) => {
      const said = await refusalOf(await databaseWith(t, sql));
      assert.match(said, /^Error: DATABASE_URL must name a database that /);
      assert.match(said, sentence);
    });
});

async function databaseWith(t: TestContext, sql: string): Promise<string> {
  const { database, url, drop } = await createTestDatabase({ migrated: false });
  t.after(drop);
  await database.query(sql);
  return url;
}

/** What a start says that finds this in DATABASE_URL. */
async function refusalOf(url: string): Promise<string> {
  const using = async () => {
    loadConfig({ DATABASE_URL: url });
    const database = openDatabase({ connection: { url }, connections: 1, onError: () => undefined });
    await migrate(database)
      .finally(() => database.close())
      .catch((error: unknown) => tellDatabase(error, url));
  };
  return using().then(
    () => assert.fail('It was used'),
    (error: unknown) => String(error),
  );
}
