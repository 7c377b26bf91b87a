import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import { until } from '../../test/support/until.ts';
import { countWaitingForLocks } from '../../test/support/waiting-for-locks.ts';
import { firstIdOfMs, newId } from '../kernel/ids.ts';
import { claimDue, collectMarks, hastenDue, insertMarks, makeDue, sweepMessages } from './due-store.ts';
import type { Step } from './step.ts';

const { database, drop } = await createTestDatabase();
after(drop);

const MINUTE_MS = 60_000;
/** When the test began. */
let nowMinuteMs: number;
const account = newId();

beforeEach(async () => {
  nowMinuteMs = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
  for (const table of ['message', 'account', 'message_statistics_mark', 'message_statistics_due'])
    await database.query(`delete from ${table}`);
});

describe('a minute in which something has changed', () => {
  it('is counted again within seconds while it is new, and the more seldom the older it is, within an hour at most', async () => {
    const ages = { 0: 2, 2: 60, 60: 59 * 30, 1440: 3_600 };
    for (const minutes of Object.keys(ages)) await mark(account, nowMinuteMs - Number(minutes) * MINUTE_MS);
    await collectMarks(database, 100);
    const rows = await database.query<{ wait: number }>(
      'select extract(epoch from due_at - now())::float8 as wait from message_statistics_due order by bucket_at desc',
    );
    // A minute is up to a minute older than its beginning, and half of that is waited for.
    for (const [place, expected] of Object.values(ages).entries()) {
      const { wait = Number.NaN } = rows[place] ?? {};
      assert.ok(wait > expected - 32 && wait < expected + 32, `${wait} s instead of ${expected}`);
      assert.ok(place > 0 || wait < 33);
    }
    assert.equal(rows.length, 4);
  });

  it('is taken once it is due, by its step, the one that waits longest first', async () => {
    await due('minute', 3, -10);
    await due('minute', 1, -30);
    await due('minute', 2, -20);
    await due('minute', 4, 600);
    await due('hour', 5, -40);
    assert.deepEqual(await take('minute', 2), [1, 2]);
    assert.deepEqual(await take('minute', 2), [3]);
    assert.deepEqual(await take('day', 2), []);
    assert.deepEqual(await take('hour', 2), [5]);
  });

  it('is due that waits since before the clock of the database was set back, and none that waits for its hour', async () => {
    await due('minute', 1, 3 * 86_400);
    await due('minute', 2, 3_600);
    assert.equal(await hastenDue(database), 1);
    assert.equal(await hastenDue(database), 0);
    assert.deepEqual(await take('minute', 2), [1]);
  });

  it('is not put off by what changes in it after, however often', async () => {
    await due('minute', 0, -10);
    await mark(account, 0);
    await collectMarks(database, 100);
    assert.deepEqual(await take('minute', 1), [0]);
  });

  it('that is to be counted at once is, also where it was to be counted later, and keeps its place where it waits already', async () => {
    await due('hour', 1, 600);
    await due('hour', 2, -600);
    await due('hour', 3, -300);
    const bucketOf = (minutes: number) => ({ account_id: account, bucket_at: new Date(minutes * MINUTE_MS) });
    await makeDue(database, 'hour', [bucketOf(1), bucketOf(2), bucketOf(2)]);
    assert.deepEqual([await take('hour', 1), await take('hour', 2)], [[2], [1, 3]]);
  });

  for (const [how, markAgain] of [
    ['marked', () => mark(account, 0).then(() => collectMarks(database, 100))],
    ['made due', () => makeDue(database, 'minute', [{ account_id: account, bucket_at: new Date(0) }])],
  ] as const)
    it(`is counted once more where it is ${how} again while a count of it is under way`, async () => {
      await due('minute', 0, -10);
      let again: Promise<unknown> | undefined;
      await database.transaction(async (tx) => {
        assert.equal((await claimDue(tx, 'minute', 10)).length, 1);
        again = markAgain();
        await until(async () => (await countWaitingForLocks(database)) > 0);
      });
      await again;
      assert.equal((await database.query('select 1 from message_statistics_due')).length, 1);
    });
});

describe('the look for messages that nobody has marked', () => {
  it('finds those of each account since some time before the last look, and comes once in its time', async () => {
    const other = newId();
    for (const [id, minutes] of [
      [account, 3],
      // Of the same minute, which is marked once.
      [account, 2.9],
      [account, 30],
      [other, 5],
    ] as const)
      await insertMessage(id, nowMinuteMs - minutes * MINUTE_MS);
    await sweptBefore(600);
    await sweep(900);
    assert.deepEqual(await marks(), [], 'the last look was not long ago');
    await sweptBefore(1_000);
    await database.transaction((tx) => sweepMessages(tx, 900, 0));
    assert.deepEqual(await marks(), [`${account} 3`, `${other} 5`].toSorted());
    await database.query('delete from message_statistics_mark');
    await sweep(900);
    assert.deepEqual(await marks(), [], 'the last look has just been');
    await sweptBefore(1_000);
    await sweep(900);
    assert.deepEqual(await marks(), [`${account} 3`, `${account} 30`, `${other} 5`].toSorted());
    await database.query('delete from message_statistics_mark');
    await sweptBefore(-86_400);
    await sweep(900);
    const found = [`${account} 3`, `${account} 30`, `${other} 5`].toSorted();
    assert.deepEqual(await marks(), found, "the database's clock was a day ahead at the last look");
  });
});

const mark = (accountId: string, atMs: number) => insertMarks(database, [{ accountId, atMs }]);

/** `minutes` since 1970, so that a bucket can be told by a small number. */
const due = (step: Step, minutes: number, inSeconds: number) =>
  database.query(
    `insert into message_statistics_due (account_id, step, bucket_at, due_at) values ($1, $2, $3, now() + make_interval(secs => $4))`,
    [account, step, new Date(minutes * MINUTE_MS), inSeconds],
  );

async function take(step: Step, limit: number): Promise<number[]> {
  const rows = await claimDue(database, step, limit);
  return rows.map(({ bucket_at }) => bucket_at.getTime() / MINUTE_MS).toSorted();
}

const sweptBefore = (seconds: number) =>
  database.query('update message_statistics_sweep set swept_until = now() - make_interval(secs => $1)', [seconds]);
const sweep = (everySeconds: number) => database.transaction((tx) => sweepMessages(tx, everySeconds, 3_600));

/** Whose minutes are marked, and how many minutes ago they were. */
async function marks(): Promise<string[]> {
  const rows = await database.query<{ account_id: string; minute_at: Date }>('select * from message_statistics_mark');
  return rows
    .map(({ account_id, minute_at }) => `${account_id} ${(nowMinuteMs - minute_at.getTime()) / MINUTE_MS}`)
    .toSorted();
}

async function insertMessage(accountId: string, madeMs: number): Promise<void> {
  await database.query("insert into account (id, name) values ($1, 'Acme') on conflict do nothing", [accountId]);
  await database.query(
    `insert into message (account_id, id, request_id, channel_id, mode, direction, type, status, phone, updated_at)
     values ($1, $2, $2, $2, 'test', 'outbound', 'text', 'accepted', '+447700900123', now())`,
    [accountId, firstIdOfMs(madeMs)],
  );
}
