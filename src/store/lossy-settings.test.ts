import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import { lossySettings } from './lossy-settings.ts';

it('a server that does not wait for its disk is known by its settings', async (t) => {
  const { database, drop } = await createTestDatabase({ migrated: false });
  t.after(drop);
  const lossyWith = (commit: string) =>
    database.transaction(async (tx) => {
      await tx.runScript(`set local synchronous_commit to ${commit}`);
      // The server of the tests has other such settings too.
      return (await lossySettings(tx)).filter((setting) => setting.startsWith('synchronous_commit'));
    });
  assert.deepEqual(await lossyWith('off'), ['synchronous_commit=off']);
  for (const commit of ['on', 'remote_apply', 'local']) assert.deepEqual(await lossyWith(commit), [], commit);
});
