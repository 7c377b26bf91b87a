import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newId } from '../../src/kernel/ids.ts';
import { heldBytes } from '../support/garbage.ts';
import { until } from '../support/until.ts';
import { type EventServer, startEventServer } from './event-server.ts';
import { type OpenStream, openStream } from './open-stream.ts';

const STREAMS = 200;
const EVENTS_A_STREAM = 20;
/** With this text an event has some 1.2 kB, so all of them together have 30 MB. */
const TEXT = 'x'.repeat(1_000);
const EVENTS = 25_000;
/** So many fill the buffers of the system between a server and a reader that has stopped. */
const BUFFERED_EVENTS = 10_000;
const BATCH = 500;
/** A reader that has stopped is owed 18 MB after that. All that may be kept for it is one page, and the buffers of its connection. */
const GROWTH_BYTES_MAX = 10e6;

let server: EventServer;
before(async () => {
  server = await startEventServer();
});
after(() => server.stop());

const numbersTo = (last: number) => Array.from({ length: last }, (_, place) => place + 1);
const idsOf = ({ frames }: OpenStream) => frames.map(({ id }) => id);

describe('one node', () => {
  it('serves 200 streams of one log at once, each with every event once and in order', async (t) => {
    const streams = await Promise.all(Array.from({ length: STREAMS }, () => openStream(server.url, server.key)));
    await until(() => server.waiting() === STREAMS);
    const startMs = performance.now();
    for (let events = 0; events < EVENTS_A_STREAM; events++) await server.record(1);
    await until(() => streams.every(({ frames }) => frames.length >= EVENTS_A_STREAM), 60_000);
    t.diagnostic(`${STREAMS * EVENTS_A_STREAM} frames in ${(performance.now() - startMs).toFixed(0)} ms`);
    for (const stream of streams) assert.deepEqual(idsOf(stream), numbersTo(EVENTS_A_STREAM));
    for (const stream of streams) stream.close();
    await until(() => server.waiting() === 0);
  });

  it('keeps little for readers that have stopped reading while 25,000 events are recorded', async (t) => {
    const { url, key } = server;
    const stalled = await Promise.all([1, 2, 3, 4].map(() => openStream(url, key)));
    for (const { answer } of stalled) answer.pause();
    // Records until the buffers of the system are full, and then the rest.
    await recordAll(BUFFERED_EVENTS);
    await until(() => server.waiting() === 0);
    const heldBefore = heldBytes();
    const startMs = performance.now();
    await recordAll(EVENTS - BUFFERED_EVENTS);
    const growth = heldBytes() - heldBefore;
    t.diagnostic(`${(performance.now() - startMs).toFixed(0)} ms, ${(growth / 1e6).toFixed(1)} MB more`);
    assert.ok(growth < GROWTH_BYTES_MAX, `${growth} bytes`);
    assert.equal(server.waiting(), 0, 'nothing is read for them');
    for (const stream of stalled) stream.close();
  });

  it('keeps a small page for each of many that read nothing, however large the events are', async (t) => {
    const accountId = newId();
    const key = server.createKey({ accountId });
    await server.record(200, { accountId, text: 'x'.repeat(20_000) });
    const heldBefore = heldBytes();
    const stalled = await Promise.all(
      Array.from({ length: 100 }, async (_, after) => {
        const stream = await openStream(server.url, key, { query: `?after=${after}` });
        // At once: what a reader has read while the others were opened is held here too.
        stream.answer.pause();
        return stream;
      }),
    );
    await until(async () => (await server.connections()) >= 100);
    await until(() => server.waiting() === 0);
    const growth = heldBytes() - heldBefore;
    t.diagnostic(`${(growth / 1e6).toFixed(1)} MB more`);
    assert.ok(growth < 100e6, `${growth} bytes`);
    for (const stream of stalled) stream.close();
  });

  it('lets an account whose readers are far behind have a page now and then, and another one its events at once', async () => {
    const [far, near] = [newId(), newId()];
    await server.record(3_000, { accountId: far, text: TEXT });
    const key = server.createKey({ accountId: far });
    const startMs = performance.now();
    const behind = await Promise.all(
      [0, 1, 2, 3].map((from) => openStream(server.url, key, { query: `?after=${from}` })),
    );
    const other = await openStream(server.url, server.createKey({ accountId: near }));
    await server.record(1, { accountId: near });
    await until(() => other.frames.length === 1);
    await until(() => behind.every(({ frames }) => frames.at(-1)?.id === 3_000), 60_000);
    // Each stream reads 50 pages, and no two pages are read at the same time.
    assert.ok(performance.now() - startMs > 4 * 40 * 10);
    for (const [from, stream] of behind.entries()) {
      assert.deepEqual(idsOf(stream), numbersTo(3_000).slice(from));
      stream.close();
    }
    other.close();
  });

  it('gives a reader 25,000 events quickly, every one once and in order', async (t) => {
    const startMs = performance.now();
    const stream = await openStream(server.url, server.key, { query: '?after=0' });
    await until(() => stream.frames.length === EVENTS + EVENTS_A_STREAM, 60_000);
    t.diagnostic(`${(performance.now() - startMs).toFixed(0)} ms`);
    assert.deepEqual(idsOf(stream), numbersTo(EVENTS + EVENTS_A_STREAM));
    stream.close();
  });
});

async function recordAll(count: number): Promise<void> {
  for (let recorded = 0; recorded < count; recorded += BATCH) await server.record(BATCH, { text: TEXT });
}
