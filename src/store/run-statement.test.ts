import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { collectYoungGarbage } from '../../test/support/garbage.ts';

/** Its rows take a megabyte. */
const MANY_ROWS = `select n, 'row ' || n as text, now() as at from generate_series(1, 5000) as n`;
const STATEMENTS = 21;
const KEPT_BYTES_MAX = 200_000;

describe('a statement that is over', () => {
  let test: TestDatabase;
  before(async () => {
    test = await createTestDatabase({ migrated: false });
  });
  after(() => test.drop());

  it('leaves its rows to the small collections, which only look at what is young', async () => {
    const grownBy: number[] = [];
    let usedBefore = 0;
    for (let statement = 0; statement < STATEMENTS; statement++) {
      await test.database.query(MANY_ROWS);
      collectYoungGarbage();
      const used = process.memoryUsage().heapUsed;
      grownBy.push(used - usedBefore);
      usedBefore = used;
    }
    // The median: code is compiled meanwhile, and a great collection may come between.
    const [kept = 0] = grownBy.sort((a, b) => a - b).slice(STATEMENTS / 2);
    assert.ok(kept < KEPT_BYTES_MAX, `${kept} bytes of each statement are kept`);
  });
});
