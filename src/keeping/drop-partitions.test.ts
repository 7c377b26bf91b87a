import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { pino } from 'pino';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { freezeSchema } from '../../test/support/freeze-schema.ts';
import { until } from '../../test/support/until.ts';
import { countWaitingForLocks } from '../../test/support/waiting-for-locks.ts';
import { firstIdOfMs, newId } from '../kernel/ids.ts';
import { keepLimits } from '../kernel/keep.ts';
import { dropNextPartition } from './drop-partitions.ts';
import { keepRound } from './keep-round.ts';
import { listPartitions } from './partition-store.ts';
import { claimTask } from './task-store.ts';

const DAYS = { messages: 90, content: 30, events: 30, notifications: 7, setAside: 30 };
const DAY_MS = 86_400_000;
const LONG_AGO_MS = Date.now() - 40 * DAY_MS;
const log = pino({ level: 'silent' });

let test: TestDatabase;
beforeEach(async () => {
  test = await createTestDatabase();
  await test.database.query("select partitions_make('notification', now() - interval '40 days', now())");
});
afterEach(() => test.drop());

/** A notification that was applied at the first try. */
async function insertApplied({ cameMs, appliedMs }: { cameMs: number; appliedMs: number }): Promise<void> {
  await test.database.query(
    `insert into notification (id, origin, body, state, attempts, applied_at) values ($1, 'test', 'x', 'applied', 1, $2)`,
    [firstIdOfMs(cameMs), new Date(appliedMs)],
  );
}

async function keepAt(nowMs: number): Promise<void> {
  await test.database.query('update keeping set due_at = now()');
  await keepRound({ database: test.database, days: DAYS, clock: { nowMs: () => nowMs }, log });
}

const countLeft = async () => (await test.database.query('select 1 from notification')).length;

describe('dropping weeks', () => {
  it('leaves a node that walks the very week unharmed, and its walk goes on in the next round', async () => {
    const { database } = test;
    const nowMs = Date.now();
    const limits = keepLimits(DAYS, nowMs);
    await insertApplied({ cameMs: nowMs - 40 * DAY_MS, appliedMs: nowMs - 39 * DAY_MS });
    let other: Promise<void> | undefined;
    await database.transaction(async (tx) => {
      assert.ok(await claimTask(tx, 'partitions'));
      const [week] = await listPartitions(tx, 'notification');
      // Holds the other node where it has found the week and is about to write to it.
      await tx.runScript(`lock table ${week?.name} in share mode`);
      other = keepRound({ database, days: DAYS, clock: { nowMs: () => nowMs }, log });
      await until(async () => (await countWaitingForLocks(database)) > 0);
      assert.equal(await dropNextPartition(tx, limits), true);
    });
    await other;
    const isDue = async () => (await database.query('select 1 from keeping where due_at <= now()')).length > 0;
    assert.equal(await isDue(), true);
    await keepRound({ database, days: DAYS, clock: { nowMs: () => nowMs }, log });
    assert.equal(await isDue(), false);
    assert.equal(await countLeft(), 0);
  });

  it('waits where the database refuses changes of its schema, and what is no such change goes on', async () => {
    const { database } = test;
    const nowMs = Date.now();
    await insertApplied({ cameMs: nowMs - 40 * DAY_MS, appliedMs: nowMs - 39 * DAY_MS });
    const before = await listPartitions(database, 'notification');
    await freezeSchema(database);
    await keepAt(nowMs);
    assert.deepEqual([(await listPartitions(database, 'notification')).length, await countLeft()], [before.length, 0]);
    await database.query('alter event trigger refuse disable');
    await keepAt(nowMs);
    assert.ok((await listPartitions(database, 'notification')).length < before.length);
  });

  it('keeps what was applied days late at the first try for its whole time', async () => {
    const { database } = test;
    // It came in the last minute of a week, and no gateway ran to apply it until three days later.
    const [week] = (await listPartitions(database, 'notification')).filter(({ untilMs }) => untilMs > LONG_AGO_MS);
    const untilMs = week?.untilMs ?? 0;
    const late = { cameMs: untilMs - 60_000, appliedMs: untilMs + 3 * DAY_MS };
    await insertApplied(late);
    await insertApplied({ cameMs: untilMs - 50_000, appliedMs: untilMs });
    await keepAt(untilMs + 9 * DAY_MS);
    assert.ok(!(await listPartitions(database, 'notification')).some(({ name }) => name === week?.name));
    assert.equal(await countLeft(), 1);
    await keepAt(late.appliedMs + 7 * DAY_MS - 1);
    assert.equal(await countLeft(), 1);
    await keepAt(late.appliedMs + 7 * DAY_MS + 1);
    assert.equal(await countLeft(), 0);
  });

  it('keeps for its whole time also what was applied within a day, but after the end of its week', async () => {
    const [week] = (await listPartitions(test.database, 'notification')).filter(({ untilMs }) => untilMs > LONG_AGO_MS);
    const untilMs = week?.untilMs ?? 0;
    const appliedMs = untilMs + DAY_MS - 2_000;
    await insertApplied({ cameMs: untilMs - 1_000, appliedMs });
    await keepAt(appliedMs + 7 * DAY_MS - 1);
    assert.equal(await countLeft(), 1);
    await keepAt(appliedMs + 7 * DAY_MS + 2_000);
    assert.equal(await countLeft(), 0);
  });

  it('takes each week that has ended before its time, and no other, whatever younger requests run', async () => {
    const { database } = test;
    const limits = keepLimits(DAYS, Date.now());
    await database.query(
      `insert into request (account_id, id, node_id, mode, channel_id, key_id, type, message_ids, content, intent)
       values ($1, $1, $1, 'test', $1, $1, 'text', '{}', '{"body": "Hello"}', '[]')`,
      [newId()],
    );
    for (const [table, keptFromMs] of [
      ['timeline', limits.messagesFromMs],
      ['message', limits.messagesFromMs],
      ['request', limits.messagesFromMs],
      ['event', limits.eventsFromMs],
      ['attempt', limits.eventsFromMs],
    ] as const) {
      await database.query("select partitions_make($1, now() - interval '120 days', now())", [table]);
      const kept = (await listPartitions(database, table)).filter(({ untilMs }) => untilMs > keptFromMs);
      while (await database.transaction((tx) => dropNextPartition(tx, limits)));
      assert.deepEqual(await listPartitions(database, table), kept, table);
      assert.ok(kept.length > 0);
    }
  });

  it('leaves a week in place where much of it must be kept, in number or in size', async () => {
    const { database } = test;
    const [week] = await listPartitions(database, 'notification');
    const wait = (count: number, bytes: number) =>
      database.query(
        `insert into notification (id, origin, body, state)
         select (left($1, 24) || lpad(place::text, 12, '0'))::uuid, 'test', repeat('x', $3)::bytea, 'waiting' from generate_series(1, $2) place`,
        [firstIdOfMs((week?.untilMs ?? 0) - DAY_MS), count, bytes],
      );
    const isDropped = async () => {
      await database.transaction((tx) => dropNextPartition(tx, keepLimits(DAYS, Date.now())));
      return (await listPartitions(database, 'notification'))[0]?.name !== week?.name;
    };
    for (const [count, bytes] of [
      [1_001, 1],
      [2, 9 << 20],
    ] as const) {
      await wait(count, bytes);
      assert.equal(await isDropped(), false, `${count} of ${bytes} bytes`);
      await database.query('delete from notification');
    }
    await wait(1, 1);
    assert.equal(await isDropped(), true);
    assert.equal(await countLeft(), 1);
  });

  it('counts no more of what must be kept of a week than tells that it is too much', async () => {
    const { database } = test;
    const [week] = await listPartitions(database, 'notification');
    await database.query(
      `insert into notification (id, origin, body, state)
       select (left($1, 24) || lpad(place::text, 12, '0'))::uuid, 'test', 'x', 'waiting' from generate_series(1, 5000) place`,
      [firstIdOfMs((week?.untilMs ?? 0) - DAY_MS)],
    );
    const read = await database.transaction(async (tx) => {
      await dropNextPartition(tx, keepLimits(DAYS, Date.now()));
      const counted = `select idx_tup_fetch::integer as rows from pg_stat_xact_user_tables where relname = $1`;
      return tx.query(counted, [week?.name]);
    });
    assert.deepEqual(read, [{ rows: 1_001 }]);
  });

  it('deletes what is past its time from every block of a week that stays', async () => {
    const { database } = test;
    const [week] = await listPartitions(database, 'notification');
    // So that two rows fill a block, and one of the two is to go.
    await database.query(`alter table ${week?.name} alter body set storage plain`);
    await database.query(
      `insert into notification (id, origin, body, state, attempts, applied_at)
       select (left($1, 24) || lpad(place::text, 12, '0'))::uuid, 'test', repeat('x', 3500)::bytea,
         case when place % 2 = 0 then 'waiting' else 'applied' end::notification_state, 1, case when place % 2 = 1 then $2::timestamptz end
       from generate_series(1, 2100) place`,
      [firstIdOfMs((week?.untilMs ?? 0) - DAY_MS), new Date(LONG_AGO_MS)],
    );
    const [walked] = await listPartitions(database, 'notification');
    assert.ok(walked !== undefined && walked.blocks > 1_000, 'it takes several stretches');
    await keepRound({ database, days: DAYS, clock: { nowMs: () => Date.now() }, log });
    const left = await database.query('select state::text, count(*) as rows from notification group by state');
    assert.deepEqual(left, [{ state: 'waiting', rows: 1_050 }]);
  });

  it('keeps a week of events until each of them has expired, because a log without its first events would have a gap', async () => {
    const { database } = test;
    const account = newId();
    await database.query("select partitions_make('event', now() - interval '40 days', now())");
    await database.query("insert into event_sequence (account_id, mode, last) values ($1, 'test', 1)", [account]);
    await database.query(
      "insert into event (account_id, id, mode, sequence, type, data, at) values ($1, $2, 'test', 1, 'message.sent', '{}', $3)",
      [account, firstIdOfMs(LONG_AGO_MS), new Date(LONG_AGO_MS)],
    );
    const countAfterDrops = async () => {
      while (await database.transaction((tx) => dropNextPartition(tx, keepLimits(DAYS, Date.now()))));
      return (await database.query('select 1 from event')).length;
    };
    assert.equal(await countAfterDrops(), 1);
    await database.query('update event_sequence set expired = 1');
    assert.equal(await countAfterDrops(), 0);
  });
});
