import assert from 'node:assert/strict';
import { after, beforeEach, it } from 'node:test';
import { pino } from 'pino';
import { createTestDatabase } from '../../test/support/database.ts';
import { firstIdOfMs, newId } from '../kernel/ids.ts';
import { deleteApplied, deleteStrays, emptyContent, emptyStrays, expireDeliveries } from './expire-store.ts';
import { keepRound } from './keep-round.ts';
import type { Progress } from './task-store.ts';
import { walkTable } from './walk-blocks.ts';

const { database, drop } = await createTestDatabase();
after(drop);
beforeEach(async () => {
  for (const table of ['message', 'request', 'timeline', 'event', 'event_sequence', 'attempt', 'notification'])
    await database.query(`delete from ${table}`);
});

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2020, 5, 1);
const LIMITS = {
  messagesFromMs: NOW_MS - 90 * DAY_MS,
  contentFromMs: NOW_MS - 30 * DAY_MS,
  eventsFromMs: NOW_MS - 30 * DAY_MS,
  appliedFromMs: NOW_MS - 7 * DAY_MS,
  setAsideFromMs: NOW_MS - 30 * DAY_MS,
};
const ACCOUNT = newId();
let ids = 0;
/** No week covers these times. */
const idOf = (days: number) => firstIdOfMs(NOW_MS - days * DAY_MS + ids++);
const ALL = { from: 0, to: 1_000 };

it('what has not ended is neither emptied nor deleted, however old it is', async () => {
  for (const status of ['pending', 'transmitting', 'accepted']) await insertMessage(100, status);
  await emptyContent(database, 'message', { table: 'message_default', ...ALL });
  const rows = () =>
    database.query("select status, content from message where status <> 'received' order by status::text");
  assert.deepEqual(await rows(), [
    { status: 'accepted', content: null },
    { status: 'pending', content: { body: 'Hello' } },
    { status: 'transmitting', content: { body: 'Hello' } },
  ]);
  assert.equal(await deleteStrays(database, LIMITS, 100), 1);
  assert.deepEqual(
    (await rows()).map((row) => Reflect.get(Object(row), 'status')),
    ['pending', 'transmitting'],
  );
});

it('of what no week covers a request that runs and an event that has not expired are kept, however old they are', async () => {
  for (const intent of ['{}', null])
    await database.query(
      `insert into request (account_id, id, node_id, mode, channel_id, key_id, type, message_ids, content, intent, completed_at)
       select account, id, account, 'test', account, account, 'text', '{}', '{"body": "Hello"}', intent, case when intent is null then now() end
       from (values ($1::uuid, $2::uuid, $3::jsonb)) as t(account, id, intent)`,
      [ACCOUNT, idOf(100), intent],
    );
  await database.query(
    `insert into event_sequence (account_id, mode, last, expired)
     values ($1, 'test', 2, 1), ($1, 'live', 2, 2), ($2, 'test', 2, 2)`,
    [ACCOUNT, newId()],
  );
  for (const sequence of [1, 2])
    await database.query(
      `insert into event (account_id, id, mode, sequence, type, data, at) values ($1, $2, 'test', $3, 'message.sent', '{}', now())`,
      [ACCOUNT, idOf(100), sequence],
    );
  assert.equal(await emptyStrays(database, LIMITS, 100), 1);
  assert.equal(await deleteStrays(database, LIMITS, 100), 2);
  assert.deepEqual(await database.query('select content, completed_at from request'), [
    { content: { body: 'Hello' }, completed_at: null },
  ]);
  assert.deepEqual(await database.query('select sequence::integer from event'), [{ sequence: 2 }]);
});

it('of what no week covers each is emptied and deleted after its time, and nothing sooner', async () => {
  for (const days of [29, 31, 91]) await insertMessage(days, 'accepted');
  assert.equal(await emptyStrays(database, LIMITS, 100), 2);
  const kept = 'select content is not null as shown from message order by id desc';
  assert.deepEqual(await database.query(kept), [{ shown: true }, { shown: false }, { shown: false }]);
  for (const [days, state] of [
    [29, 'set_aside'],
    [31, 'set_aside'],
    [31, 'waiting'],
  ] as const)
    await database.query("insert into notification (id, origin, body, state) values ($1, 'live', '', $2)", [
      idOf(days),
      state,
    ]);
  assert.equal(await deleteStrays(database, LIMITS, 100), 2, 'a message and a notification');
  assert.deepEqual(await database.query(kept), [{ shown: true }, { shown: false }]);
  const left = await database.query("select state, id >= $1 as young from notification order by state = 'waiting'", [
    firstIdOfMs(LIMITS.setAsideFromMs),
  ]);
  assert.deepEqual(left, [
    { state: 'set_aside', young: true },
    { state: 'waiting', young: false },
  ]);
});

it('of what no week covers a timeline goes when its message does, and a batch takes no more than it may', async () => {
  for (const days of [89, 91, 92, 93])
    await database.query(
      `insert into timeline (account_id, message_id, id, status, at, received_at) values ($1, $2, $2, 'sent', now(), now())`,
      [ACCOUNT, idOf(days)],
    );
  assert.equal(await deleteStrays(database, LIMITS, 2), 2);
  assert.equal(await deleteStrays(database, LIMITS, 2), 1);
  assert.equal(await deleteStrays(database, LIMITS, 2), 0);
  assert.equal((await database.query('select 1 from timeline')).length, 1);
});

it('an attempt is kept as long as events are, and not as long as messages', async () => {
  for (const days of [29, 31, 100])
    await database.query(
      `insert into attempt (account_id, id, endpoint_id, event_id, type, number, at, outcome, http_status, duration_ms)
       values ($1, $2, $3, $3, 'message.sent', 1, now(), 'succeeded', 200, 1)`,
      [ACCOUNT, idOf(days), newId()],
    );
  assert.equal(await deleteStrays(database, LIMITS, 100), 2);
});

it('of notifications what was applied goes after its time, and nothing that still waits or was set aside', async () => {
  const insert = (state: string, appliedDaysAgo: number | null) =>
    database.query(`insert into notification (id, origin, body, state, applied_at) values ($1, 'live', '', $2, $3)`, [
      idOf(20),
      state,
      appliedDaysAgo === null ? null : new Date(NOW_MS - appliedDaysAgo * DAY_MS),
    ]);
  await insert('waiting', null);
  await insert('set_aside', null);
  await insert('applied', 6);
  await insert('applied', 8);
  await deleteApplied(database, { table: 'notification_default', ...ALL }, LIMITS);
  const left = await database.query<{ state: string }>('select state from notification order by state::text');
  assert.deepEqual(
    left.map(({ state }) => state),
    ['applied', 'set_aside', 'waiting'],
  );
});

it('a delivery is given up once its event is past its time, some at once, and one that is being written later', async () => {
  for (const endpointId of [newId(), newId()]) {
    await database.query(
      "insert into endpoint (account_id, id, mode, url, secret_sealed) values ($1, $2, 'test', 'https://endpoint.test/', '')",
      [ACCOUNT, endpointId],
    );
    for (const days of [29, 31, 32])
      await database.query('insert into delivery (account_id, endpoint_id, event_id) values ($1, $2, $3)', [
        ACCOUNT,
        endpointId,
        idOf(days),
      ]);
  }
  assert.equal(await expireDeliveries(database, LIMITS, 1), 1);
  await database.transaction(async (tx) => {
    await tx.query('select 1 from delivery where event_id < $1 order by event_id limit 1 for update', [idOf(30)]);
    assert.equal(await expireDeliveries(database, LIMITS, 9), 2);
  });
  assert.equal(await expireDeliveries(database, LIMITS, 9), 1);
  assert.equal((await database.query('select 1 from delivery')).length, 2);
});

it('a round takes away what no week covers, and deliveries, also where they are more than one batch', async () => {
  const endpointId = newId();
  await database.query(
    "insert into endpoint (account_id, id, mode, url, secret_sealed) values ($1, $2, 'test', 'https://endpoint.test/', '')",
    [ACCOUNT, endpointId],
  );
  const old = `select (left($3, 24) || lpad(place::text, 12, '0'))::uuid as id from generate_series(1, 12000) place`;
  const values = [ACCOUNT, endpointId, idOf(100)];
  await database.query(
    `insert into delivery (account_id, endpoint_id, event_id) select $1, $2, id from (${old}) old`,
    values,
  );
  await database.query(
    `insert into timeline (account_id, message_id, id, status, at, received_at) select $1, id, $2, 'sent', now(), now() from (${old}) old`,
    values,
  );
  await database.query('update keeping set due_at = now()');
  const days = { messages: 90, content: 30, events: 30, notifications: 7, setAside: 30 };
  await keepRound({ database, days, clock: { nowMs: () => NOW_MS }, log: pino({ level: 'silent' }) });
  assert.equal((await database.query('select 1 from delivery where endpoint_id = $1', [endpointId])).length, 0);
  assert.equal((await database.query('select 1 from timeline')).length, 0);
});

it('each block of a table that is no week is walked once, from its beginning to its end', async () => {
  const blocks = 1_001;
  const walked: number[] = [];
  let progress: Progress & { more: boolean } = { place: null, block: 0, more: true };
  while (progress.more)
    progress = await walkTable({ table: 'customer_window', blocks, share: 1 }, progress, async ({ from, to }) => {
      for (let block = from; block < Math.min(to, blocks); block++) walked.push(block);
    });
  assert.deepEqual(walked, [...Array(blocks).keys()]);
  assert.deepEqual(progress, { place: null, block: 0, more: false });
});

function insertMessage(days: number, status: string) {
  const id = idOf(days);
  return database.query(
    `insert into message (account_id, id, request_id, channel_id, mode, direction, type, status, phone, content, updated_at)
     values ($1, $2, $2, $2, 'test', 'outbound', 'text', $3, '+447700900123', '{"body": "Hello"}', now())`,
    [ACCOUNT, id, status],
  );
}
