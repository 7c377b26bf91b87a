import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { restingTransaction } from '../../test/support/resting-transaction.ts';
import { newId } from '../kernel/ids.ts';
import type { Queryable } from '../store/database.ts';
import { claimDeletedAccount, listAccountTables } from './account-store.ts';

let test: TestDatabase;
before(async () => {
  test = await createTestDatabase();
});
after(() => test.drop());

it('of two deleted accounts one node takes one and another node the other', async () => {
  const { database } = test;
  const ids = [newId(), newId()];
  const insert = "insert into account (id, name, deleted_at) select id, 'Deleted', now() from unnest($1::uuid[]) as id";
  await database.query(insert, [ids]);
  const claim = (tx: Queryable) => claimDeletedAccount(tx, 0, new Set());
  await restingTransaction(database, async (tx) => {
    const first = await claim(tx);
    const second = await restingTransaction(database, async (beside) => {
      const taken = await claim(beside);
      assert.equal(await claim(database), undefined);
      return taken;
    });
    assert.deepEqual(new Set([first, second]), new Set(ids));
  });
});

it('of two tables the one that refers to the other is emptied first, for a row that is referred to cannot be deleted', async () => {
  const { database } = test;
  const references = await database.query<{ from: string; to: string }>(
    `select conrelid::regclass::text as from, confrelid::regclass::text as to from pg_constraint
     where contype = 'f' and conparentid = 0 and connamespace = 'public'::regnamespace`,
  );
  assert.ok(references.length > 0);
  // The account's own row goes last of all.
  const order = [...(await listAccountTables(database)), 'account'];
  assert.deepEqual(
    references.filter(({ from, to }) => order.indexOf(from) > order.indexOf(to)),
    [],
  );
});
