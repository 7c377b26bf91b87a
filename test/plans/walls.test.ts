import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createExplainer, type Explainer } from './explain.ts';
import { findTablesWith, findUnwalled, type Wall } from './walls.ts';

let testDatabase: TestDatabase;
let explainer: Explainer;
before(async () => {
  testDatabase = await createTestDatabase();
  explainer = await createExplainer(testDatabase.database, testDatabase.connection);
});
after(async () => {
  await explainer.close();
  await testDatabase.drop();
});

async function unwalled(wall: Wall, sql: string): Promise<string[]> {
  const plan = await explainer.explain(sql);
  const planned = { store: '', call: '', sql, fresh: plan, full: plan, drained: plan };
  return findUnwalled(planned, wall, await findTablesWith(testDatabase.database, wall));
}

const MESSAGE = 'select m.id from message m';
const BY_BOTH = 'm.account_id = $1 and m.mode = $2';

/** Each of these reads rows of others, although the right words are somewhere in it. */
const CROSSING: Record<string, string> = {
  'no comparison': `${MESSAGE} where $1::uuid is not null and $2::mode is not null`,
  'a choice': `${MESSAGE} where ($1::uuid is null or m.account_id = $1) and ($2::mode is null or m.mode = $2)`,
  'a difference': `${MESSAGE} where m.account_id <> $1 and m.mode <> $2`,
  'one arm of two': `${MESSAGE} where ${BY_BOTH} union all ${MESSAGE} where m.provider_message_id = $3`,
  'a part beside it': `${MESSAGE} where exists (${MESSAGE} where ${BY_BOTH})`,
  'a part of it': `select (select count(*) from message where id > e.id) from endpoint e where e.account_id = $1 and e.mode = $2`,
  'what need not be there': `${MESSAGE} left join endpoint e on e.account_id = $1 and e.mode = $2
    and e.account_id = m.account_id and e.mode = m.mode`,
  'another table of the same': `${MESSAGE} join endpoint e on e.account_id = $1 and e.mode = $2`,
};

/** Each of these keeps to one account and mode, in its own way. */
const WITHIN: Record<string, string> = {
  'a comparison': `${MESSAGE} where ${BY_BOTH}`,
  'a comparison of texts': `${MESSAGE} where m.account_id = $1 and m.mode::text = $2`,
  'a list': `${MESSAGE} where m.account_id = any($1) and m.mode = any($2)`,
  'a join': `${MESSAGE} join unnest($1::uuid[], $2::mode[]) as w(account_id, mode) using (account_id, mode)`,
  'a comparison around it': `select m.id from (select * from message where provider_message_id = $3 offset 0) m where ${BY_BOTH}`,
  'a change': `update message m set held = true where ${BY_BOTH}`,
  'a place': `delete from message where ctid = any(array(select m.ctid from message m where ${BY_BOTH}))`,
};

describe('a wall', () => {
  for (const [how, sql] of Object.entries(CROSSING))
    it(`is missed with ${how}`, async () => {
      assert.deepEqual(await unwalled('account_id', sql), ['message']);
      assert.deepEqual(await unwalled('mode', sql), ['message']);
    });

  for (const [how, sql] of Object.entries(WITHIN))
    it(`is seen in ${how}`, async () => {
      assert.deepEqual(await unwalled('account_id', sql), []);
      assert.deepEqual(await unwalled('mode', sql), []);
    });
});
