import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { findOldest, type ListedEventRow, listEvents } from '../../src/events/store.ts';
import { newId } from '../../src/kernel/ids.ts';
import type { Queryable } from '../../src/store/database.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const EVENTS = 50_000;
const RARE_EVERY = 250;
const PAGE = 100;
const TYPES_MAX = 3;
const COMMON_TYPE = 'message.read';
const RARE_TYPE = 'message.failed';

/** The events range over three weeks, so that the log has several partitions. Some are failures. */
const FILL = `
  insert into event (account_id, id, mode, sequence, type, data, at)
  select $1, (lpad(to_hex(ms), 12, '0') || '7' || substr(md5(n::text), 1, 3) || '8' || substr(md5(n::text), 4, 15))::uuid,
    'test', n, case when n % ${RARE_EVERY} = 0 then '${RARE_TYPE}' else (array['message.sent', 'message.delivered', '${COMMON_TYPE}'])[n % 3 + 1] end,
    jsonb_build_object('message', jsonb_build_object('id', md5(n::text), 'text', repeat('x', 400))), now()
  from (select n, (extract(epoch from now()) * 1000)::bigint + n * 28000 as ms from generate_series(1, $2::integer) as n) as numbered`;

let test: TestDatabase;
const accountId = newId();
before(async () => {
  test = await createTestDatabase();
  const { database } = test;
  await database.query(FILL, [accountId, EVENTS]);
  await database.query(FILL, [newId(), EVENTS / 10]);
  await database.query(`insert into event_sequence (account_id, mode, last) values ($1, 'test', $2)`, [
    accountId,
    EVENTS,
  ]);
  await database.query('analyze event');
});
after(() => test.drop());

type Read = (store: Queryable) => Promise<unknown>;
const page = (from: number, types: string[] | null) => (store: Queryable) =>
  listEvents(store, { accountId, mode: 'test', after: from, types, limit: PAGE });
const READINGS: Record<string, Read> = {
  'the start': page(0, null),
  'the middle': page(EVENTS / 2, null),
  'the end': page(EVENTS - 50, null),
  'what is yet to come': page(EVENTS, null),
  'a common type at the start': page(0, [COMMON_TYPE]),
  'a rare type at the end': page(EVENTS - 3_000, [RARE_TYPE]),
  'a rare type at the start': page(0, [RARE_TYPE]),
  'a type that never came': page(0, ['endpoint.disabled']),
  'several types, one of them rare': page(0, [RARE_TYPE, 'endpoint.disabled', COMMON_TYPE, COMMON_TYPE]),
  'the oldest number': (store) => findOldest(store, { accountId, mode: 'test' }),
};

/** The plans of what `read` asks, carried out: the plan for these values, and the plan for any values. */
async function plansOf(read: Read): Promise<string[]> {
  const asked: { sql: string; values: readonly unknown[] }[] = [];
  await read({
    async query<Row>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
      asked.push({ sql, values });
      return [];
    },
  });
  const [question] = asked;
  assert.ok(question);
  const { sql, values } = question;
  return test.database.transaction(async (tx) => {
    const own = await tx.query(`explain (analyze, format json) ${sql}`, values);
    const literals = values.map(literalOf).join(', ');
    await tx.runScript(`set local plan_cache_mode to force_generic_plan; prepare asked as ${sql}`);
    const any = await tx.query(`explain (analyze, format json) execute asked (${literals})`);
    await tx.runScript('deallocate asked');
    return [JSON.stringify(own), JSON.stringify(any)];
  });
}

function literalOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return `array[${value.map((one) => `'${one}'`).join(', ')}]`;
  return `'${String(value)}'`;
}

describe('a log of 50,000 events', () => {
  for (const [what, read] of Object.entries(READINGS))
    it(`is read by its index: ${what}`, async () => {
      for (const plan of await plansOf(read)) {
        assert.match(plan, /"Index (Only )?Scan"/);
        assert.doesNotMatch(plan, /"Seq Scan"/);
        // A page of each type may be read and sorted, but never the whole log. Nothing may be read only to be thrown away.
        for (const [, rows] of plan.matchAll(/"Actual Rows":(\d+)/g))
          assert.ok(Number(rows) <= TYPES_MAX * PAGE, `${rows} rows are read`);
        assert.doesNotMatch(plan, /"Rows Removed by Filter":[1-9]/);
      }
    });

  it('is read to its end by a rare type without gaps', async (t) => {
    const seen: ListedEventRow[] = [];
    const startMs = performance.now();
    for (;;) {
      const rows = await listEvents(test.database, {
        accountId,
        mode: 'test',
        after: seen.at(-1)?.sequence ?? 0,
        types: [RARE_TYPE],
        limit: PAGE,
      });
      if (rows.length === 0) break;
      seen.push(...rows);
    }
    t.diagnostic(`${(performance.now() - startMs).toFixed(0)} ms`);
    assert.deepEqual(
      seen.map(({ sequence }) => sequence),
      Array.from({ length: EVENTS / RARE_EVERY }, (_, place) => (place + 1) * RARE_EVERY),
    );
  });
});
