import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { it, type TestContext } from 'node:test';
import { setTimeout as later, setImmediate as nextTurn } from 'node:timers/promises';
import { pino } from 'pino';
import { createTestDatabase } from '../../test/support/database.ts';
import { least } from '../../test/support/least.ts';
import { meetLock } from '../../test/support/meet-lock.ts';
import { until } from '../../test/support/until.ts';
import { newId } from '../kernel/ids.ts';
import type { WatchRound } from '../observe/loops.ts';
import { createTail, POLL_MS } from './tail.ts';

it('a question that the server rolled back is asked again, and ends neither the wait nor the process', async (t) => {
  const { database, drop } = await createTestDatabase();
  t.after(drop);
  // What a standby answers when what it replays is in the way of a reader.
  for (const statement of [
    `create function refuse() returns bigint language plpgsql as
       $$ begin raise exception 'canceling statement due to conflict with recovery' using errcode = '40001'; end $$`,
    'alter table event_sequence rename to event_sequence_there',
    `create view event_sequence as select account_id, mode, refuse() as last from event_sequence_there`,
  ])
    await database.query(statement);
  const accountId = newId();
  await database.query(`insert into event_sequence_there (account_id, mode, last) values ($1, 'test', 1)`, [accountId]);
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const tail = createTail(database, log);
  const waiting = tail.wait({ accountId, mode: 'test', after: 0 }, 60_000, new AbortController().signal);
  await until(() => lines.length > 0);
  await database.query(
    'create or replace view event_sequence as select account_id, mode, last from event_sequence_there',
  );
  const begunMs = performance.now();
  await waiting;
  assert.ok(performance.now() - begunMs < 30_000, 'it was told of the event');
});

it('when the last one has left, nothing is asked of a store that may be closed by then', async () => {
  const { database, drop } = await createTestDatabase();
  const lines: string[] = [];
  const tail = createTail(database, pino({}, { write: (line: string) => void lines.push(line) }));
  const leaving = new AbortController();
  const waiting = tail.wait({ accountId: newId(), mode: 'test', after: 0 }, 60_000, leaving.signal);
  leaving.abort();
  await waiting;
  const late = tail.wait({ accountId: newId(), mode: 'test', after: 0 }, 60_000, leaving.signal);
  assert.equal(await Promise.race([late.then(() => 'over'), nextTurn('waits')]), 'over');
  await drop();
  // The question was planned for 10 ms after the wait began: timers fire in the order of their times.
  await later(20);
  assert.deepEqual(lines, []);
});

it('a stream that waits again and again leaves nothing of its waits in memory', async (t) => {
  const { database, drop } = await createTestDatabase();
  t.after(drop);
  const tail = createTail(database, pino({ level: 'silent' }));
  const { signal } = new AbortController();
  for (let waits = 0; waits < 3; waits++) await tail.wait({ accountId: newId(), mode: 'test', after: 0 }, 1, signal);
  assert.deepEqual(getEventListeners(signal, 'abort'), []);
});

/** A reader who waits for what does not come, and how often the store was asked for it. */
async function waitInVain(t: TestContext) {
  const { database, drop } = await createTestDatabase();
  t.after(drop);
  let asked = 0;
  const tail = createTail(database, pino({ level: 'silent' }), (ask) => {
    asked += 1;
    return ask();
  });
  const leaving = new AbortController();
  const wait = () => tail.wait({ accountId: newId(), mode: 'test', after: 0 }, 60_000, leaving.signal);
  const nudgeFor = async (ms: number) => {
    for (const untilMs = performance.now() + ms; performance.now() < untilMs; await later(1)) tail.nudge();
  };
  return { database, wait, nudgeFor, asked: () => asked, leave: () => leaving.abort() };
}

it('a store that is slow to answer is asked one question at a time, however often there is news', async (t) => {
  const { database, wait, nudgeFor, asked, leave } = await waitInVain(t);
  const waiting = await meetLock(database, {
    hold: (tx) => tx.query('lock table event_sequence in access exclusive mode'),
    work: async () => ({ over: wait() }),
    meanwhile: async () => {
      await nudgeFor(POLL_MS);
      assert.equal(asked(), 1);
    },
  });
  leave();
  await waiting.over;
});

it('news that never cease do not put the question off, and the store is asked as seldom as before once they have', async (t) => {
  const { wait, nudgeFor, asked, leave } = await waitInVain(t);
  const waiting = wait();
  await until(() => asked() > 0);
  for (let busyMs = 0, before = asked(); asked() < before + 5 && busyMs < 100 * POLL_MS; busyMs += POLL_MS)
    await nudgeFor(POLL_MS);
  const [before, beganMs] = [asked(), performance.now()];
  assert.ok(before >= 5, `${before} questions`);
  await until(() => performance.now() > beganMs + 4 * POLL_MS);
  const [questions, polls] = [asked() - before, (performance.now() - beganMs) / POLL_MS];
  assert.ok(questions <= polls + 2, `${questions} questions where ${polls} were due`);
  leave();
  await waiting;
});

for (const when of ['while the store is being asked', 'long before it would be asked again'])
  it(`a nudge ${when} has it asked again soon`, async (t) => {
    const { database, drop } = await createTestDatabase();
    t.after(drop);
    const leaving = new AbortController();
    let asked = 0;
    const watch: WatchRound = (ask) => {
      asked += 1;
      return ask();
    };
    const tail = createTail(database, pino({ level: 'silent' }), watch);
    const waiting = tail.wait({ accountId: newId(), mode: 'test', after: 0 }, 60_000, leaving.signal);
    const pass = async (isOver: () => boolean) => {
      while (!isOver()) await nextTurn();
    };
    const ms = await least(POLL_MS / 2, async () => {
      const before = asked;
      await pass(() => asked > before);
      const begunMs = performance.now();
      if (when.startsWith('long')) await pass(() => performance.now() > begunMs + POLL_MS / 5);
      const [seen, nudgedMs] = [asked, performance.now()];
      tail.nudge();
      await pass(() => asked > seen);
      return performance.now() - nudgedMs;
    });
    leaving.abort();
    await waiting;
    assert.ok(ms < POLL_MS / 2, `it was asked after ${ms} ms`);
  });
