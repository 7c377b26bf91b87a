import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { restingTransaction } from '../../test/support/resting-transaction.ts';
import { newId } from '../kernel/ids.ts';
import type { Queryable } from '../store/database.ts';
import { claimDeletedAccount, hastenDeletedAccounts, listAccountTables } from './account-store.ts';

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

it('an account that was deleted while the clock of the database was ahead is erased when what was under way has had its time', async () => {
  const { database } = test;
  await database.query('delete from account');
  const id = newId();
  await database.query(
    "insert into account (id, name, deleted_at) values ($1, 'Deleted ahead', now() + interval '3 days'), ($2, 'In use', null)",
    [id, newId()],
  );
  const claim = (afterMs: number) => database.transaction((tx) => claimDeletedAccount(tx, afterMs, new Set()));
  assert.equal(await claim(0), undefined);
  assert.equal(await hastenDeletedAccounts(database), 1);
  assert.equal(await hastenDeletedAccounts(database), 0);
  assert.equal(await claim(180_000), undefined);
  assert.equal(await claim(0), id);
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
