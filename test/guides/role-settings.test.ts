import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { SESSION_SETTINGS } from '../../src/store/session-settings.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { roleSettings } from '../support/role-settings.ts';

let testDatabase: TestDatabase;
before(async () => {
  testDatabase = await createTestDatabase();
});
after(() => testDatabase.drop());

describe('the settings of the role that the guide gives for a pooler', () => {
  it('are those that a gateway sets for its own connections', async () => {
    const own = [...SESSION_SETTINGS.matchAll(/^ *set (\w+) to/gm)].map(([, name = '']) => name);
    assert.ok(own.length > 10);
    assert.deepEqual(
      roleSettings().map(({ name }) => name),
      own,
    );
    const { database } = testDatabase;
    for (const { name, value } of roleSettings()) {
      const read = `select current_setting('${name}') as setting`;
      const [given] = await database.query<{ setting: string }>(read);
      const [told] = await database.transaction(async (tx) => {
        await tx.runScript(`set local ${name} = ${value}`);
        return tx.query<{ setting: string }>(read);
      });
      assert.deepEqual(told, given, name);
    }
  });
});
