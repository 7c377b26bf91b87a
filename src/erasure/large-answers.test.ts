import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { insertAttempts } from '../endpoints/deliver/attempt-store.ts';
import { appendEvents } from '../events/store.ts';
import { LAST_UUID, newId } from '../kernel/ids.ts';
import type { Reached } from './stretch.ts';
import { emptyAttempts } from './walk-store.ts';

const ADA = '+447700900741';
const EVENTS = 3;
const ANSWERS_OF_EACH = 2;
/** The database compresses it, so it counts for as much as it might be at the most: more than a batch may have. */
const NOTE = Array.from({ length: 10_000 }, () => randomBytes(8).toString('hex').repeat(4)).join(' ');

const accountId = newId();
let test: TestDatabase;
before(async () => {
  test = await createTestDatabase();
  await test.database.query("insert into account (id, name) values ($1, 'Erasing')", [accountId]);
  const message = { direction: 'inbound', from: ADA, to: '+15550001111', type: 'contacts', contacts: [{ note: NOTE }] };
  const draft = { accountId, mode: 'test', type: 'message.received', data: { message }, traceparent: null } as const;
  for (let count = 0; count < EVENTS; count++) await test.database.transaction((tx) => appendEvents(tx, [draft]));
  for (const eventId of await idsOf('event')) await insertAttempts(test.database, answersTo(eventId));
});
after(() => test.drop());

function answersTo(eventId: string) {
  const attempt = { account_id: accountId, event_id: eventId, type: 'message.received', number: 1, at: new Date() };
  const answered = {
    outcome: 'failed',
    http_status: 500,
    error: null,
    duration_ms: 5,
    answer: ADA,
    waitMs: null,
  } as const;
  return Array.from({ length: ANSWERS_OF_EACH }, () => ({
    ...attempt,
    ...answered,
    id: newId(),
    endpoint_id: newId(),
  }));
}

/** The oldest first. */
async function idsOf(table: 'event' | 'attempt'): Promise<string[]> {
  const rows = await test.database.query<{ id: string }>(`select id from ${table} where account_id = $1`, [accountId]);
  return rows.map(({ id }) => id).sort();
}

it('an erasure looks through a few large events at a time for the answers to them, and each of them once for all answers', async () => {
  const stretch = { accountId, limit: 1_000, asked: [ADA], persons: [ADA], askedAt: [new Date()] };
  const reached: string[] = [];
  for (let place: Reached = LAST_UUID; place !== null; ) {
    place = await emptyAttempts(test.database, { ...stretch, place });
    if (place !== null) reached.push(place);
  }
  const newestFirst = (await idsOf('attempt')).reverse();
  const lastOfEach = newestFirst.filter((_, place) => place % ANSWERS_OF_EACH === ANSWERS_OF_EACH - 1);
  assert.deepEqual(reached, lastOfEach);
  assert.deepEqual(await test.database.query('select 1 from attempt where answer is not null'), []);
});
