import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { newId } from '../kernel/ids.ts';
import { eraseSome } from './erase-person.ts';

const SETTLED_MS = 600_000;
/** The last step of the first walk, and the last step of all, as gateways of other versions count them. */
const [END_OF_WALK, END] = [6, 15];

let test: TestDatabase;
before(async () => {
  test = await createTestDatabase();
});
after(() => test.drop());

it('the steps have the numbers by which a gateway of the version before goes on with an erasure, beside this one', async () => {
  const { database } = test;
  const accountId = newId();
  await database.query("insert into account (id, name) values ($1, 'Erasing')", [accountId]);
  const goOnFrom = async (step: number) => {
    await database.query('delete from erasure');
    await database.query(
      "insert into erasure (account_id, id, persons, mark, due_at, down_step) values ($1, $2, '{+447700900714}', 'x', now(), $3)",
      [accountId, newId(), step],
    );
    assert.ok(await eraseSome(database, SETTLED_MS));
    return database.query('select down_step as step, due_at > now() as rests from erasure');
  };
  assert.deepEqual(await goOnFrom(END_OF_WALK - 1), [{ step: END_OF_WALK, rests: false }]);
  assert.deepEqual(await goOnFrom(END_OF_WALK), [{ step: END_OF_WALK + 1, rests: true }]);
  assert.deepEqual(await goOnFrom(END), [{ step: END + 1, rests: false }]);
  assert.deepEqual(await goOnFrom(END + 1), []);
});
