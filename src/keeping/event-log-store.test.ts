import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import { meetLock } from '../../test/support/meet-lock.ts';
import { NIL_UUID, newId } from '../kernel/ids.ts';
import { keepLimits } from '../kernel/keep.ts';
import type { Queryable } from '../store/database.ts';
import { expireLogs, findExpiredEvents, type LogAge, type LogRow } from './event-log-store.ts';
import { expireEvents } from './expire-events.ts';
import { holdsEvents } from './partition-store.ts';

const { database, drop } = await createTestDatabase();
after(drop);

const FROM_MS = Date.UTC(2026, 0, 1);
const BEFORE_ALL: LogRow = { account_id: NIL_UUID, mode: 'live' };
const LOOK = { logs: 100, eventsALog: 100 };
const DAYS = { messages: 90, content: 30, events: 30, notifications: 7, setAside: 30 };
type Walked = Awaited<ReturnType<typeof expireEvents>>;

/** In the order of the logs. */
let logs: LogRow[];
beforeEach(async () => {
  await database.query('delete from event');
  await database.query('delete from event_sequence');
  logs = [newId(), newId()].flatMap((account_id) => (['live', 'test'] as const).map((mode) => ({ account_id, mode })));
});

describe('the log of an account and mode', () => {
  it('expires up to before its first event that has not, whatever the logs of others hold', async () => {
    const [one, two, three, four] = logs;
    await record(one, 'old', 'old', 'young');
    await record(two, 'young');
    await record(three, 'old', 'young', 'old');
    await record(four, 'old', 'old');
    assert.deepEqual(expiredOf(await look()), [2, null, 1, 2]);
  });

  it('is hidden alone, for good, and looked at from there on', async () => {
    for (const log of logs) await record(log, 'old', 'old', 'young');
    const [first, ...others] = await look();
    assert.ok(first !== undefined);
    await expireLogs(database, [first]);
    assert.deepEqual(await kept(), [2, 0, 0, 0]);
    await expireLogs(database, [{ ...first, expired: 1 }]);
    assert.deepEqual(await kept(), [2, 0, 0, 0], 'a node that was late shows nothing again');
    assert.deepEqual(expiredOf(await look()), [null, 2, 2, 2]);
    await expireLogs(database, others);
    assert.deepEqual(await kept(), [2, 2, 2, 2]);
  });

  it('is hidden with others in one order, so that whoever numbers events of several does not wait for it in a circle', async () => {
    for (const log of logs.toReversed()) await record(log, 'old', 'young');
    const [first, ...others] = logs;
    const ages = await look();
    const lock = async (tx: Queryable, log: LogRow | undefined) =>
      tx.query('select 1 from event_sequence where account_id = $1 and mode = $2 for update nowait', [
        log?.account_id,
        log?.mode,
      ]);
    await meetLock(database, {
      hold: (tx) => lock(tx, first),
      work: () => expireLogs(database, ages.toReversed()),
      meanwhile: async (tx) => {
        for (const other of others) await lock(tx, other);
      },
    });
    assert.deepEqual(await kept(), [1, 1, 1, 1]);
  });

  it('is read no further than to its first event that has not expired, however many come behind', async () => {
    const [one, two] = logs;
    await record(one, 'old', 'old', ...Array<'young'>(97).fill('young'));
    await record(two, ...Array<'young'>(100).fill('young'));
    const read = await database.transaction(async (tx) => {
      const before = await countRead(tx);
      assert.deepEqual(expiredOf(await findExpiredEvents(tx, BEFORE_ALL, FROM_MS, LOOK)), [2, null]);
      return (await countRead(tx)) - before;
    });
    assert.equal(read, 4);
  });

  it('comes once in a walk, a part of its events at a time', async () => {
    for (const log of logs) await record(log, 'old', 'old', 'old');
    const ages = await findExpiredEvents(database, logs[0] ?? BEFORE_ALL, FROM_MS, { logs: 2, eventsALog: 2 });
    assert.deepEqual(
      ages.map(({ account_id, mode, expired, looked_at }) => [account_id, mode, expired, looked_at]),
      logs.slice(1, 3).map(({ account_id, mode }) => [account_id, mode, 2, 2]),
    );
  });

  it('is looked at however many there are', async () => {
    const [first, ...accounts] = Array.from({ length: 126 }, () => newId());
    await database.query(
      `insert into event_sequence (account_id, mode, last)
       select $1, 'test'::mode, 1 union all select account_id, mode, 1 from unnest($2::uuid[]) account_id, unnest(enum_range(null::mode)) mode`,
      [first, accounts],
    );
    await database.query(
      `insert into event (account_id, id, mode, sequence, type, data, at)
       select account_id, gen_random_uuid(), mode, 1, 'message.sent', '{}', $1 from event_sequence`,
      [new Date(FROM_MS - 1)],
    );
    const limits = { ...keepLimits(DAYS, FROM_MS), eventsFromMs: FROM_MS };
    const reached = [await expireEvents(database, limits, { place: null, block: 0 })];
    for (let last = reached.at(-1); last?.more === true; last = reached.at(-1))
      reached.push(await expireEvents(database, limits, last));
    assert.ok(
      reached.some(({ place }) => place?.endsWith('live')),
      'some look ends between the two logs of an account',
    );
    assert.equal(reached.at(-1)?.place, null);
    assert.deepEqual(new Set(await kept()), new Set([1]));
  });

  it('is done in one walk also where more of it has expired than one look takes', async () => {
    const [one, two] = logs;
    await record(one, ...Array<'old'>(5_001).fill('old'), 'young');
    await record(two, 'old');
    const limits = { ...keepLimits(DAYS, FROM_MS), eventsFromMs: FROM_MS };
    for (let last: Walked = { place: null, block: 0, more: true }; last.more; )
      last = await expireEvents(database, limits, last);
    assert.deepEqual(await kept(), [5_001, 1]);
  });

  it('holds up no other, however many events it has that have not expired', async () => {
    const [one, two] = logs;
    await record(one, ...Array<'young'>(5_000).fill('young'));
    await record(two, 'old');
    const limits = { ...keepLimits(DAYS, FROM_MS), eventsFromMs: FROM_MS };
    const { more } = await expireEvents(database, limits, { place: null, block: 0 });
    assert.deepEqual([more, await kept()], [false, [0, 1]]);
  });

  it('keeps its week as long as it has events there that have not expired', async () => {
    const [one, two] = logs;
    await record(one, 'old', 'old');
    await record(two, 'old');
    const expire = (log: LogRow | undefined, expired: number) =>
      expireLogs(database, [{ ...(log ?? BEFORE_ALL), expired, looked_at: 2 }]);
    await expire(one, 1);
    await expire(two, 1);
    assert.equal(await holdsEvents(database, 'event'), true);
    await expire(one, 2);
    assert.equal(await holdsEvents(database, 'event'), false);
    await record(logs[2], 'old');
    assert.equal(await holdsEvents(database, 'event'), true);
    await expire(logs[2], 1);
    assert.equal(await holdsEvents(database, 'event'), false, 'the longer log of another account does not count');
  });
});

const look = () => findExpiredEvents(database, BEFORE_ALL, FROM_MS, LOOK);

const expiredOf = (ages: readonly LogAge[]) => ages.map(({ expired }) => expired);

async function record(log: LogRow | undefined, ...events: ('old' | 'young')[]): Promise<void> {
  const { account_id, mode } = log ?? BEFORE_ALL;
  await database.query('insert into event_sequence (account_id, mode, last) values ($1, $2, $3)', [
    account_id,
    mode,
    events.length,
  ]);
  await database.query(
    `insert into event (account_id, id, mode, sequence, type, data, at)
     select $1, id, $2, place, 'message.sent', '{}', at
     from unnest($3::uuid[], $4::timestamptz[]) with ordinality as t(id, at, place)`,
    [
      ...[account_id, mode, events.map(() => newId())],
      events.map((age) => new Date(age === 'old' ? FROM_MS - 1 : FROM_MS)),
    ],
  );
}

/** How many events this connection has read. */
async function countRead(tx: Queryable): Promise<number> {
  const [events] = await tx.query<{ read: number }>(
    `select sum(idx_tup_fetch)::integer as read from pg_stat_xact_user_tables
     join pg_inherits on inhrelid = relid and inhparent = 'event'::regclass`,
  );
  return events?.read ?? 0;
}

async function kept(): Promise<number[]> {
  const rows = await database.query<{ expired: number }>(
    'select expired from event_sequence order by account_id, mode',
  );
  return rows.map(({ expired }) => expired);
}
