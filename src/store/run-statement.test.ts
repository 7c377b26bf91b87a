import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { keptByYoungCollections } from '../../test/support/garbage.ts';

/** Its rows take a megabyte. */
const MANY_ROWS = `select n, 'row ' || n as text, now() as at from generate_series(1, 5000) as n`;
const KEPT_BYTES_MAX = 200_000;

describe('a statement that is over', () => {
  let test: TestDatabase;
  before(async () => {
    test = await createTestDatabase({ migrated: false });
  });
  after(() => test.drop());

  it('leaves its rows to the small collections, which only look at what is young', async () => {
    const kept = await keptByYoungCollections(() => test.database.query(MANY_ROWS));
    assert.ok(kept < KEPT_BYTES_MAX, `${kept} bytes of each statement are kept`);
  });
});
