import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { migrate } from '../../src/store/migrate.ts';
import { blocksOf } from '../docs/blocks.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

/** The server of the tests has one role of each name, and other tests run on it. */
const ROLE = `waypost_${randomBytes(6).toString('hex')}`;
/** What the page gives the administrator to paste, for this role. */
const BLOCKS = blocksOf('docs/security.md', '')
  .filter((block) => /^(create|alter|select) /.test(block))
  .map((block) => block.replaceAll(/\bwaypost\b|\bwaypost(?=_2)/g, ROLE));

let db: TestDatabase;
before(async () => {
  db = await createTestDatabase({ migrated: false });
  await db.database.query(`create role ${ROLE} login password 'first'`);
  await db.database.query(`alter database ${new URL(db.url).pathname.slice(1)} owner to ${ROLE}`);
});
after(async () => {
  await db.database.query(`drop owned by ${ROLE}, ${ROLE}_2 cascade`);
  await db.database.query(`alter database ${new URL(db.url).pathname.slice(1)} owner to current_user`);
  await db.database.query(`drop role ${ROLE}_2, ${ROLE}`);
  await db.drop();
});

describe('the second user by which the password of the database is replaced', () => {
  it('owns what the first one owns, and goes on after the first one is closed', async () => {
    const [make = '', settings = '', close = ''] = BLOCKS;
    assert.equal(BLOCKS.length, 3);
    await as(ROLE, migrate);
    for (const statement of make.trim().split('\n')) await db.database.query(statement);
    await db.database.query(settings);
    await db.database.query(close);
    await assert.rejects(as(ROLE, (first) => first.query('select 1')));
    await as(`${ROLE}_2`, async (second) => {
      await migrate(second);
      await second.query('create table made_by_second (id uuid)');
    });
    const owners = await db.database.query<{ owner: string }>(
      `select distinct tableowner as owner from pg_tables where schemaname = 'public'`,
    );
    assert.deepEqual(owners, [{ owner: ROLE }]);
  });
});

async function as(user: string, work: (database: Database) => Promise<unknown>): Promise<void> {
  const url = new URL(db.url);
  url.username = user;
  const database = openDatabase({ connection: { url: url.href }, connections: 2, onError: () => {} });
  await Promise.resolve(work(database)).finally(() => database.close());
}
