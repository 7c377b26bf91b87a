import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { listTables } from '../support/tables.ts';
import { planFiles } from './files.ts';
import { findUnrecorded } from './literals.ts';
import { findWide, GROWING, GROWING_LITTLE, MAY_READ_MORE } from './narrow.ts';
import { type Planned, planStatements } from './plans.ts';
import { MAY_CROSS } from './wall-exceptions.ts';
import { findTablesWith, findUnwalled, type Wall } from './walls.ts';

/** Each major version plans in its own way. The kept plans are those of the embedded server. */
const isEmbedded = process.env.TEST_DATABASE_URL === undefined;

describe('the plans of the statements', () => {
  let testDatabase: TestDatabase;
  let planned: Planned[];
  before(async () => {
    testDatabase = await createTestDatabase();
    planned = await planStatements(testDatabase);
  });
  after(() => testDatabase.drop());

  it('are known of every statement in the stores', () => {
    assert.deepEqual(findUnrecorded(planned), []);
  });

  it('know of every table whether it grows with the messages', async () => {
    const tables = await listTables(testDatabase.database);
    assert.deepEqual(tables, [...GROWING, ...GROWING_LITTLE].toSorted());
  });

  it('read little of what grows, whatever it has grown to', () => {
    const wide = planned.flatMap((statement) =>
      findWide(statement).map((why) => ({ statement, line: `${statement.store} ${statement.call}: ${why}` })),
    );
    const excused = ({ store, call }: Planned) =>
      Object.keys(MAY_READ_MORE).find(
        (name) => name === `${store} ${call}` || name === `${store} ${call.split(',')[0]}`,
      );
    assert.deepEqual(
      wide.filter(({ statement }) => excused(statement) === undefined).map(({ line }) => line),
      [],
    );
    if (!isEmbedded) return;
    const needed = new Set(wide.map(({ statement }) => excused(statement)));
    assert.deepEqual(
      Object.keys(MAY_READ_MORE).filter((name) => !needed.has(name)),
      [],
      'What needs no excuse has none',
    );
  });

  it('compare the account wherever they read what belongs to one', async () => {
    assertCrossing('account_id', await crossing('account_id'));
  });

  it("compare the key's mode wherever they read what has one", async () => {
    const overAccounts = await crossing('account_id');
    assertCrossing(
      'mode',
      (await crossing('mode')).filter((reading) => !overAccounts.includes(reading)),
    );
  });

  /** What reads across a wall: the function of a store, and the table. */
  async function crossing(wall: Wall): Promise<string[]> {
    const tables = await findTablesWith(testDatabase.database, wall);
    return planned.flatMap((statement) =>
      findUnwalled(statement, wall, tables).map(
        (table) => `${statement.store} ${statement.call.split(',')[0]}: ${table}`,
      ),
    );
  }

  function assertCrossing(wall: Wall, found: readonly string[]): void {
    assert.deepEqual(
      found.filter((reading) => !MAY_CROSS[wall].includes(reading)),
      [],
    );
    if (!isEmbedded) return;
    assert.deepEqual(
      MAY_CROSS[wall].filter((reading) => !found.includes(reading)),
      [],
      'What needs no excuse has none',
    );
  }

  const skip = isEmbedded ? false : 'not on the embedded server';
  it('are those that are kept (to accept new ones: npm run plans -- --update)', { skip }, () => {
    for (const { name, planned: now, kept } of planFiles(planned)) assert.equal(now, kept, `test/plans/${name}`);
  });
});
