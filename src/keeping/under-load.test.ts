import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { pino } from 'pino';
import { ageEverything } from '../../test/support/age.ts';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import { sendOne } from '../../test/support/notifications.ts';
import { systemClock as clock } from '../kernel/clock.ts';
import { keepRound } from './keep-round.ts';

const DAYS = { messages: 90, content: 30, events: 30, notifications: 7, setAside: 30 };
const SENDERS = 4;
const TRIES = 2;
/** A send takes some milliseconds, and may wait 100 for a lock; the rest is for a machine that is busy. */
const SEND_MS_MAX = 10_000;

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway();
});
after(() => gateway.stop());

it('takes away what is past its time while messages are sent, and waits for no reader', async () => {
  const { database } = gateway;
  for (let week = 0; week < 4; week++) {
    for (let sent = 0; sent < 20; sent++) await sendOne(gateway);
    await ageEverything(database, 7);
  }
  await ageEverything(database, 100);
  const weeksBefore = await countWeeks();
  let sending = true;
  const durations: number[] = [];
  const sender = async () => {
    while (sending) {
      const startMs = performance.now();
      assert.equal((await sendOne(gateway)).status, 'accepted');
      durations.push(performance.now() - startMs);
    }
  };
  const senders = Array.from({ length: SENDERS }, sender);
  const said: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void said.push(line) });
  const putOff = () => said.filter((line) => line.includes('keeping.put_off')).length;
  const keep = async () => {
    await database.query('update keeping set due_at = now()');
    await keepRound({ database, days: DAYS, clock, log });
  };
  await database.transaction(async (reader) => {
    await reader.query('select count(*) from timeline, message, request');
    for (let tries = 0; tries < TRIES; tries++) {
      await keep();
      // A transaction that does nothing for 10 s is ended, and on a busy machine these take as long.
      await reader.query('select 1');
    }
  });
  assert.deepEqual([putOff(), await countWeeks()], [TRIES, weeksBefore], 'a reader is not thrown out, nor waited for');
  await keep();
  assert.ok((await countWeeks()) < weeksBefore);
  sending = false;
  await Promise.all(senders);
  assert.ok(Math.max(...durations) < SEND_MS_MAX, `the slowest of ${durations.length}: ${Math.max(...durations)} ms`);
  const [stored] = await database.query<{ messages: number }>('select count(*) as messages from message');
  assert.equal(stored?.messages, durations.length, 'all that was sent meanwhile is there, and nothing else');
});

async function countWeeks(): Promise<number> {
  const rows = await gateway.database.query(`select 1 from pg_inherits where inhparent = 'message'::regclass`);
  return rows.length;
}
