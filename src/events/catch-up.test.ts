import assert from 'node:assert/strict';
import { it } from 'node:test';
import { pino } from 'pino';
import { startEventServer } from '../../test/events/event-server.ts';
import { until } from '../../test/support/until.ts';
import { createCatchUp } from './catch-up.ts';
import { createEventReads } from './event-reads.ts';
import { streamEvents } from './stream.ts';
import { createTail } from './tail.ts';

it('streams of one account that are behind take turns, and those of others do not wait for them', () => {
  const takePage = createCatchUp(60_000);
  const waits = ['one', 'one', 'other', 'one'].map((accountId) => Math.round(takePage(accountId) / 1_000));
  assert.deepEqual(waits, [0, 60, 0, 120]);
});

it('an account that has rested begins at once, and has not saved turns', () => {
  const takePage = createCatchUp(60_000);
  for (let account = 0; account < 5_000; account++) assert.equal(takePage(`account ${account}`), 0);
  assert.ok(takePage('account 4999') > 59_000);
  const takeAtOnce = createCatchUp(0);
  for (let page = 0; page < 1_000; page++) assert.equal(takeAtOnce('one'), 0);
});

it('a stream has its comments also while it waits for its turn', async (t) => {
  const { accountId, database, record, stop } = await startEventServer();
  t.after(stop);
  await record(300);
  const takePage = createCatchUp(3_600_000);
  assert.equal(takePage(accountId), 0, 'another stream of the account has the turn of this hour');
  const reads = createEventReads(
    database,
    () => '',
    (_, read) => read(),
  );
  const parts = { reads, tail: createTail(database, pino({ level: 'silent' })) };
  const log = { accountId, mode: 'test', after: 0, beginsNow: false, types: null } as const;
  const stream = streamEvents(
    { ...parts, takePage, heartbeatMs: 100, closing: new AbortController().signal },
    { ...log, stillAllowed: async () => true },
  );
  t.after(() => stream.destroy());
  let text = '';
  stream.on('data', (chunk) => {
    text += chunk;
  });
  await until(() => text.split(': still here').length > 3);
  assert.ok(text.includes('id: 1\n') && !text.includes('id: 300\n'), 'it waits in the middle of the log');
});
