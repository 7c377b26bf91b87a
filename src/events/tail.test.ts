import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { it } from 'node:test';
import { setTimeout as later, setImmediate as nextTurn } from 'node:timers/promises';
import { pino } from 'pino';
import { createTestDatabase } from '../../test/support/database.ts';
import { least } from '../../test/support/least.ts';
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
