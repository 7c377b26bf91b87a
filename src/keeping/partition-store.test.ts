import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { firstIdOfMs } from '../kernel/ids.ts';
import { PARTED_TABLES } from '../store/parted-tables.ts';
import { listPartitions } from './partition-store.ts';

const DAY_MS = 86_400_000;
/** One in ten met a listing that was between its condition and its answer. */
const DROPS = 200;

let test: TestDatabase;
before(async () => {
  test = await createTestDatabase();
});
after(() => test.drop());

describe('the weeks of a table', () => {
  it('are made and dropped of every table that is parted', async () => {
    const rows = await test.database.query<{ name: string }>(
      `select relname as name from pg_class where relkind = 'p' and relnamespace = 'public'::regnamespace`,
    );
    assert.deepEqual(rows.map(({ name }) => name).toSorted(), [...PARTED_TABLES].toSorted());
  });

  it('are listed while another node drops one', async () => {
    const { database } = test;
    const [first, end] = [firstIdOfMs(0), firstIdOfMs(7 * DAY_MS)];
    const dropping = (async () => {
      for (let drop = 0; drop < DROPS; drop++) {
        await database.query(
          `create table message_1970w01 partition of message for values from ('${first}') to ('${end}')`,
        );
        await database.query('drop table message_1970w01');
      }
    })();
    let dropped = false;
    const listing = async () => {
      while (!dropped) for (const { untilMs } of await listPartitions(database, 'message')) assert.ok(untilMs > 0);
    };
    await Promise.all([
      dropping.finally(() => {
        dropped = true;
      }),
      ...Array.from({ length: 3 }, listing),
    ]);
  });
});

describe('whether a notification was applied late', () => {
  it('depends on a day between the time in its id and its application, to the millisecond', async () => {
    const receivedMs = fc.integer({ min: Date.parse('2025-01-01'), max: Date.parse('2100-01-01') });
    const afterMs = fc.oneof(fc.integer({ min: -DAY_MS, max: 100 * DAY_MS }), fc.constantFrom(DAY_MS, DAY_MS + 1));
    await fc.assert(
      fc.asyncProperty(receivedMs, afterMs, async (received, more) => {
        const values = [firstIdOfMs(received), new Date(received + more)];
        const rows = await test.database.query('select applied_late($1::uuid, $2::timestamptz) as late', values);
        assert.deepEqual(rows, [{ late: more > DAY_MS }]);
      }),
      { numRuns: 300 },
    );
  });

  it('is asked without a call: each notification that is written is asked it', async () => {
    const explain = 'explain verbose select applied_late(id, applied_at) from notification';
    const plan = JSON.stringify(await test.database.query(explain));
    assert.match(plan, /to_timestamp/);
    assert.doesNotMatch(plan, /applied_late/);
  });
});
