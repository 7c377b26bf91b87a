import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTestDatabase } from '../../../test/support/database.ts';
import { NIL_UUID, newId } from '../../kernel/ids.ts';
import { type AttemptFilter, insertAttempts, listAttempts } from './attempt-store.ts';

const [ACCOUNT, ENDPOINT] = [newId(), newId()];
const AT_ENDPOINT = { accountId: ACCOUNT, id: ENDPOINT };
const PAGE = 10;
const SUCCEEDED = 15;
const FAILED = 2_000;
/** Each week may be asked for its newest one. */
const WEEKS_MAX = 10;
const NO_FILTER: AttemptFilter = { eventId: null, outcome: null, before: null, from: NIL_UUID };

const { database, drop } = await createTestDatabase();
after(drop);

/** All, newest first: some that succeeded, the oldest of all and one of the newest, and one event for every two. */
let attempts: { id: string; event_id: string; outcome: 'succeeded' | 'failed' }[];

before(async () => {
  const eventIds = Array.from({ length: (SUCCEEDED + FAILED + 1) / 2 }, newId);
  const made = Array.from({ length: SUCCEEDED + FAILED }, (_, place) => ({
    ...{ account_id: ACCOUNT, endpoint_id: ENDPOINT, id: newId(), event_id: eventIds[Math.floor(place / 2)] ?? '' },
    outcome: place < SUCCEEDED - 1 || place === FAILED ? ('succeeded' as const) : ('failed' as const),
    ...{
      type: 'message.sent',
      number: 1,
      at: new Date(),
      http_status: null,
      error: null,
      duration_ms: 1,
      answer: null,
    },
    waitMs: null,
  }));
  await insertAttempts(database, made);
  attempts = made.toReversed();
});

async function idsOf(filter: Partial<AttemptFilter>, limit = PAGE): Promise<string[]> {
  const rows = await listAttempts(database, AT_ENDPOINT, { ...NO_FILTER, ...filter }, limit);
  return rows.map(({ id }) => id);
}

/** How many attempts this connection has fetched since it last told the server, which it never does in a transaction. */
const FETCHED = `
  select coalesce(sum(idx_tup_fetch), 0)::integer as rows from pg_stat_xact_user_tables where relname like 'attempt%'`;

async function countFetched(filter: Partial<AttemptFilter>): Promise<number> {
  return database.transaction(async (tx) => {
    const count = async () => (await tx.query<{ rows: number }>(FETCHED))[0]?.rows ?? 0;
    const earlier = await count();
    await listAttempts(tx, AT_ENDPOINT, { ...NO_FILTER, ...filter }, PAGE);
    return (await count()) - earlier;
  });
}

describe('a list of attempts at an endpoint', () => {
  for (const outcome of [null, 'succeeded', 'failed'] as const)
    it(`has all of them, newest first, page by page: ${outcome ?? 'of both outcomes'}`, async () => {
      const expected = attempts.filter((one) => outcome === null || one.outcome === outcome).map(({ id }) => id);
      assert.deepEqual(await idsOf({ outcome }, SUCCEEDED + FAILED), expected);
      const next = await idsOf({ outcome, before: expected[PAGE - 1] ?? '' });
      assert.deepEqual(next, expected.slice(PAGE, 2 * PAGE));
      const young = await idsOf({ outcome, from: expected[4] ?? '' });
      assert.deepEqual(young, expected.slice(0, 5), 'what has expired is not in it');
    });

  it('has those of one event', async () => {
    const oldest = attempts.at(-1)?.event_id ?? '';
    const expected = attempts.filter(({ event_id }) => event_id === oldest).map(({ id }) => id);
    assert.equal(expected.length, 2);
    assert.deepEqual(await idsOf({ eventId: oldest }), expected);
    assert.deepEqual(await idsOf({ eventId: oldest, outcome: 'succeeded' }), expected);
    assert.deepEqual(await idsOf({ eventId: oldest, outcome: 'failed' }), []);
    await database.query(
      `insert into attempt (account_id, id, endpoint_id, event_id, type, number, at, outcome, duration_ms)
       values ($1, $2, $3, $4, 'message.sent', 1, now(), 'succeeded', 1)`,
      [ACCOUNT, newId(), newId(), oldest],
    );
    assert.deepEqual(await idsOf({ eventId: oldest }), expected, 'and not those at another endpoint');
  });

  it('reads the answers of a page only, where one event has many attempts', async () => {
    const [id, eventId] = [newId(), newId()];
    await database.query(
      `insert into attempt (account_id, id, endpoint_id, event_id, type, number, at, outcome, duration_ms, answer)
       select $1, gen_random_uuid(), $2, $3, 'message.sent', 1, now(), 'failed', 1, repeat('x', 1500) from generate_series(1, 1500)`,
      [ACCOUNT, id, eventId],
    );
    const rows = await database.transaction(async (tx) => {
      // All of them together have 2 MB.
      await tx.runScript("set local work_mem = '64kB'; set local temp_file_limit = '1MB'");
      return listAttempts(tx, { accountId: ACCOUNT, id }, { ...NO_FILTER, eventId }, PAGE);
    });
    assert.deepEqual(
      rows.map(({ answer }) => answer?.length),
      Array.from({ length: PAGE }, () => 1_500),
    );
  });

  const lists: Record<string, () => Partial<AttemptFilter>> = {
    'of both outcomes': () => ({}),
    'those that succeeded': () => ({ outcome: 'succeeded' }),
    'those that failed': () => ({ outcome: 'failed' }),
    'those of an event': () => ({ eventId: attempts.at(-1)?.event_id ?? '' }),
  };
  for (const [what, filter] of Object.entries(lists))
    it(`reads a page of each outcome at most, however many there are: ${what}`, async () => {
      const fetched = await countFetched(filter());
      assert.ok(fetched <= 2 * (PAGE + WEEKS_MAX), `${fetched} rows`);
    });
});
