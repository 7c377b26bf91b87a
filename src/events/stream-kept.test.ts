import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { pino } from 'pino';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { undisturbed } from '../../test/support/undisturbed.ts';
import { until } from '../../test/support/until.ts';
import { newId } from '../kernel/ids.ts';
import { StoreUnavailable } from '../kernel/store-unavailable.ts';
import { createCatchUp } from './catch-up.ts';
import { createEventReads } from './event-reads.ts';
import { streamEvents } from './stream.ts';
import { createTail } from './tail.ts';

describe('a stream is not dropped', () => {
  let test: TestDatabase;
  before(async () => {
    test = await createTestDatabase();
  });
  after(() => test.drop());

  /** A stream of a quiet log, and how often it has been looked after. */
  function streamQuietLog(t: TestContext, times: { heartbeatMs?: number; stalledMs?: number } = {}, fault?: Error) {
    let looks = 0;
    const stillAllowed = async () => {
      looks += 1;
      if (fault !== undefined) throw fault;
      return true;
    };
    const tail = createTail(test.database, pino({ level: 'silent' }));
    const parts = {
      reads: createEventReads(
        test.database,
        () => '',
        (_, read) => read(),
      ),
      tail,
      takePage: createCatchUp(),
    };
    const stream = streamEvents(
      { ...parts, ...times, closing: new AbortController().signal },
      { accountId: newId(), mode: 'test', after: 0, beginsNow: true, types: null, stillAllowed },
    );
    t.after(() => stream.destroy());
    return { stream, looks: () => looks };
  }

  it('while its reader takes a moment', async (t) => {
    const { stream, looks } = streamQuietLog(t);
    // Something is there for the reader, who does not take it.
    stream.read(0);
    await until(() => looks() > 1 || stream.destroyed);
    assert.ok(stream.readableLength > 0);
    assert.equal(stream.destroyed, false);
  });

  it('while its reader takes one thing after another, although the next one is always there', (t) =>
    undisturbed(async () => {
      const stalledMs = 1_500;
      const { stream, looks } = streamQuietLog(t, { heartbeatMs: 10, stalledMs });
      const reading = setInterval(() => stream.read(), 200);
      t.after(() => clearInterval(reading));
      const untilMs = performance.now() + 2 * stalledMs;
      await until(() => performance.now() > untilMs || stream.destroyed);
      assert.equal(stream.destroyed, false);
      assert.ok(looks() > 0);
    }));

  it('while its key cannot be looked up because the store is away, but for a fault of ours', async (t) => {
    const away = streamQuietLog(t, {}, new StoreUnavailable(new Error('The connection broke'), false));
    const faulty = streamQuietLog(t, {}, new Error('A mistake of ours'));
    for (const { stream } of [away, faulty]) stream.resume().on('error', () => undefined);
    const failed = await until(() => faulty.stream.errored);
    assert.match(String(failed), /A mistake of ours/);
    await until(() => away.looks() > 2 || away.stream.destroyed);
    assert.equal(away.stream.destroyed, false);
  });

  it('for having nothing to read for longer than it waits for a reader', async (t) => {
    const { stream, looks } = streamQuietLog(t, { stalledMs: 100 });
    stream.resume();
    await until(() => looks() > 2 || stream.destroyed);
    assert.equal(stream.destroyed, false);
  });
});
