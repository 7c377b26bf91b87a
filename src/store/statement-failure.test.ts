import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { it } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';

const STATEMENT = 'select 1 as one';

it('a pooler that gives away connections with the prepared statements of others is named as such', async (t) => {
  const { database, drop } = await createTestDatabase({ migrated: false });
  t.after(drop);
  // As another gateway has left it behind: the same text has the same name everywhere.
  const name = createHash('sha256').update(STATEMENT).digest('base64url').slice(0, 20);
  const left = database.transaction(async (tx) => {
    await tx.runScript(`prepare "${name}" as ${STATEMENT}`);
    await tx.query(STATEMENT);
  });
  await assert.rejects(left, /^Error: A pooler lends .* session mode, .*already exists\)$/);
  assert.deepEqual(await database.query(STATEMENT), [{ one: 1 }], 'such a connection is not used again');
});
