import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';

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
    const collectYoung = smallCollection();
    const grownBy: number[] = [];
    let usedBefore = 0;
    for (let statement = 0; statement < STATEMENTS; statement++) {
      await test.database.query(MANY_ROWS);
      collectYoung();
      const used = process.memoryUsage().heapUsed;
      grownBy.push(used - usedBefore);
      usedBefore = used;
    }
    // The median: code is compiled meanwhile, and a great collection may come between.
    const [kept = 0] = grownBy.sort((a, b) => a - b).slice(STATEMENTS / 2);
    assert.ok(kept < KEPT_BYTES_MAX, `${kept} bytes of each statement are kept`);
  });
});

/** V8's own. */
function smallCollection(): () => void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  assert.ok(typeof collect === 'function');
  return () => collect({ type: 'minor' });
}
