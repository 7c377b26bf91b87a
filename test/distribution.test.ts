import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from './support/database.ts';
import { glob, statementsOf } from './support/tree.ts';

/** Tables that every server of a distributed database would have as a whole: they are small, or are read before the account is known. */
const REFERENCE = ['account', 'api_key', 'channel', 'erased_inbound_id'];
/** Tables of the platform, which one server would keep. docs/scaling.md says what that means for each of them. */
const LOCAL = [
  ...['applied_news', 'audit', 'delivering', 'keeping', 'master_key_check', 'message_statistics_sweep', 'migration'],
  ...['node', 'notification', 'notification_pack'],
];

describe('the schema, for a distribution by account_id', () => {
  let db: TestDatabase;
  before(async () => {
    db = await createTestDatabase();
  });
  after(() => db.drop());

  it('has account_id in every table that is neither a reference table nor a local one', async () => {
    const rows = await db.database.query<{ name: string }>(`
      select c.relname as name from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and not exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'account_id' and a.attnotnull)`);
    const without = rows.map(({ name }) => name);
    assert.deepEqual(
      without.filter((name) => !REFERENCE.includes(name) && !LOCAL.includes(name)),
      [],
    );
  });

  it('has no key of a distributed table that does not begin with account_id, and none to another account', async () => {
    const rows = await db.database.query<{ name: string; first: string }>(`
      select c.relname as name, a.attname as first from pg_class c
      join pg_index i on i.indrelid = c.oid and i.indisunique
      join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
      where c.relnamespace = 'public'::regnamespace and not c.relispartition`);
    const wrong = rows.filter(
      ({ name, first }) => first !== 'account_id' && !REFERENCE.includes(name) && !LOCAL.includes(name),
    );
    assert.deepEqual(wrong, []);
    const links = await db.database.query<{ text: string }>(`
      select conrelid::regclass || ': ' || pg_get_constraintdef(oid) as text from pg_constraint
      where contype = 'f' and conparentid = 0`);
    assert.deepEqual(
      links.filter(({ text }) => !/FOREIGN KEY \(account_id\b/.test(text)),
      [],
    );
  });

  it('is joined within one account: every join of distributed tables compares account_id', async () => {
    const rows = await db.database.query<{ name: string }>(`
      select c.relname as name from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`);
    const distributed = rows
      .map(({ name }) => name)
      .filter((name) => !REFERENCE.includes(name) && !LOCAL.includes(name));
    const join = new RegExp(
      `\\bjoin\\s+(${distributed.join('|')})\\s+(?:as\\s+)?(\\w+)\\s+on\\s+([\\s\\S]*?)(?=\\bjoin\\b|\\bwhere\\b|\\border by\\b|\\)\\s*,|$)`,
      'g',
    );
    const joins = glob('src/**/*store.ts').flatMap((path) =>
      statementsOf(path).flatMap(({ name, sql }) =>
        [...sql.matchAll(join)].map(([, table, alias, on = '']) => ({ path, name, table, alias, on })),
      ),
    );
    assert.ok(joins.length >= 10, `${joins.length} joins were found`);
    const across = joins.filter(
      ({ alias, on }) => !new RegExp(`\\b${alias}\\.account_id\\s*=|=\\s*${alias}\\.account_id\\b`).test(on),
    );
    assert.deepEqual(across, []);
  });
});
