import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { WaypostEvent } from '../api/message.ts';
import { findEvents, type ReadEvents } from './find-events.ts';

const BEGIN_MS = 1_800_000_000_000;

/** A log with one event for each second. Every tenth is about the message that is looked for. */
function logOf(length: number, oldest = 1): { read: ReadEvents; calls: () => number } {
  const all = Array.from({ length }, (_, place): WaypostEvent => {
    const sequence = place + 1;
    const timestamp = new Date(BEGIN_MS + sequence * 1_000).toISOString();
    const data = { message: { id: sequence % 10 === 0 ? 'msg_wanted' : 'msg_other' } };
    return { id: `evt_${sequence}`, type: 'message.read', sequence, timestamp, data };
  });
  let calls = 0;
  const read: ReadEvents = async (after, limit) => {
    calls += 1;
    const from = Math.max(after, oldest - 1);
    return { data: all.slice(from, from + limit), oldest_sequence: oldest, latest_sequence: length };
  };
  return { read, calls: () => calls };
}

describe('finding the events of a message', () => {
  it('finds all between its beginning and its last change, in few reads of a long log', async () => {
    const { read, calls } = logOf(50_000);
    const span = { fromMs: BEGIN_MS + 30_000_000, toMs: BEGIN_MS + 30_040_000 };
    const found = await findEvents(read, { id: 'msg_wanted', ...span });
    const numbers = found?.events.map(({ sequence }) => sequence).filter((one) => one >= 30_000 && one <= 30_040);
    assert.deepEqual(numbers, [30_000, 30_010, 30_020, 30_030, 30_040]);
    assert.equal(found?.complete, true);
    assert.ok(calls() < 20, `${calls()} reads`);
  });

  it('finds nothing in an empty log, and begins at the oldest where events have expired', async () => {
    assert.deepEqual(await findEvents(logOf(0).read, { id: 'msg_wanted', fromMs: 0, toMs: 1 }), {
      events: [],
      complete: true,
      oldestKept: undefined,
    });
    const found = await findEvents(logOf(300, 250).read, { id: 'msg_wanted', fromMs: 0, toMs: BEGIN_MS + 1e9 });
    assert.deepEqual(
      found?.events.map(({ sequence }) => sequence),
      [250, 260, 270, 280, 290, 300],
    );
  });

  it('says where the log begins if events of that time may have expired, and only then', async () => {
    const wanted = { id: 'msg_wanted', toMs: BEGIN_MS + 1e9 };
    const oldestFor = async (log: ReturnType<typeof logOf>, seconds: number) =>
      (await findEvents(log.read, { ...wanted, fromMs: BEGIN_MS + seconds * 1_000 }))?.oldestKept;
    assert.equal(await oldestFor(logOf(300, 250), 100), 250);
    assert.equal(await oldestFor(logOf(300, 250), 260), undefined);
    assert.equal(await oldestFor(logOf(300), 0), undefined);
    // All have expired.
    assert.equal(await oldestFor(logOf(300, 301), 100), 301);
  });

  it('says when it could not look through all, or could not read at all', async () => {
    const found = await findEvents(logOf(5_000).read, { id: 'msg_wanted', fromMs: 0, toMs: BEGIN_MS + 1e9 });
    assert.equal(found?.complete, false);
    assert.equal(await findEvents(async () => undefined, { id: 'msg_wanted', fromMs: 0, toMs: 1 }), undefined);
  });
});
