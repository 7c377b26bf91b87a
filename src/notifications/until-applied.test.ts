import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import { until } from '../../test/support/until.ts';
import { newId } from '../kernel/ids.ts';
import type { Queryable } from '../store/database.ts';
import { createUntilApplied } from './until-applied.ts';

const { database, drop } = await createTestDatabase();
after(drop);

let looks = 0;
const counting: Queryable = {
  ...database,
  query<Row>(sql: string, values?: readonly unknown[]) {
    looks++;
    return database.query<Row>(sql, values);
  },
};

describe('whoever waits until what was answered is applied', () => {
  beforeEach(async () => {
    looks = 0;
    // One of a pack that was refused as a whole: it may tell of a message that would be sent again.
    await database.query("insert into notification (id, origin, body) values ($1, 'live', 'alone')", [newId()]);
  });

  it('waits for what is to be applied alone, too', async () => {
    let applied: boolean | undefined;
    const waiting = createUntilApplied(counting)(new AbortController().signal).then((all) => {
      applied = all;
    });
    await until(() => looks > 2 || applied !== undefined);
    assert.equal(applied, undefined);
    await database.query("update notification set state = 'applied'");
    await waiting;
    assert.equal(applied, true);
  });

  it('waits no more once that is of no use', async () => {
    const giveUp = new AbortController();
    const waiting = createUntilApplied(counting)(giveUp.signal);
    await until(() => looks > 1);
    giveUp.abort();
    assert.equal(await waiting, false);
    assert.ok(looks < 10, 'it did not wait until its time was over');
  });
});
