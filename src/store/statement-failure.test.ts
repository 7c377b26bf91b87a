import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { it } from 'node:test';
import { DatabaseError } from 'pg';
import { createTestDatabase } from '../../test/support/database.ts';
import { StoreUnavailable } from '../kernel/store-unavailable.ts';
import { NoAnswerInTime } from './run-statement.ts';
import { readStatementFailure } from './statement-failure.ts';

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

it('what tells of the world is unavailable, and nothing is in doubt where the server has told it', () => {
  // A connection lost, a full disk, a stop, a system in trouble, a time limit, a standby, a transaction that was too slow.
  for (const code of ['08006', '53100', '57P01', '58030', '57014', '25006', '25P03', '26000']) {
    const { error, connectionUsable } = readStatementFailure(refusal(code), false, true);
    assert.ok(error instanceof StoreUnavailable && !error.commitInDoubt, code);
    assert.equal(connectionUsable, false, code);
  }
  for (const code of ['42601', '23505', '40P01', '22P02', '0A000']) {
    const ours = refusal(code);
    assert.deepEqual(readStatementFailure(ours, false, true), { error: ours, connectionUsable: true }, code);
  }
});

it('a server that says nothing in time is unavailable, and leaves in doubt what may have committed', () => {
  for (const committing of [true, false]) {
    const { error } = readStatementFailure(new NoAnswerInTime(1), false, committing);
    assert.ok(error instanceof StoreUnavailable);
    assert.equal(error.commitInDoubt, committing);
  }
});

function refusal(code: string): DatabaseError {
  return Object.assign(new DatabaseError('refused', 7, 'error'), { code });
}
