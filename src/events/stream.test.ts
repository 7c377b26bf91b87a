import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { pino } from 'pino';
import { type EventServer, startEventServer } from '../../test/events/event-server.ts';
import { type OpenStream, openStream } from '../../test/events/open-stream.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { assertProblem } from '../../test/support/problem.ts';
import { until } from '../../test/support/until.ts';
import { newId } from '../kernel/ids.ts';
import { StoreUnavailable } from '../kernel/store-unavailable.ts';
import { createCatchUp } from './catch-up.ts';
import type { EventType } from './event.ts';
import { createEventReads } from './event-reads.ts';
import { streamEvents } from './stream.ts';
import { createTail } from './tail.ts';

/** Quick here, so that a test sees several. */
const HEARTBEAT_MS = 200;

let server: EventServer;
before(async () => {
  server = await startEventServer({ heartbeatMs: HEARTBEAT_MS });
});
after(() => server.stop());

function newLog() {
  const accountId = newId();
  const record = (count: number, types?: EventType[]) =>
    server.record(count, { accountId, ...(types !== undefined && { types }) });
  return { accountId, key: server.createKey({ accountId }), record };
}
const open = (key: string, query = '', headers: Record<string, string> = {}) =>
  openStream(server.url, key, { query, headers });
const idsOf = ({ frames }: OpenStream) => frames.map(({ id }) => id);
const numbers = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, place) => first + place);

describe('the stream', () => {
  it('writes every event in the form of Server-Sent Events, exactly as the feed shows it', async () => {
    const { key, record } = newLog();
    await record(2, ['message.sent', 'message.read']);
    const stream = await open(key, '?after=0');
    await until(() => stream.frames.length === 2);
    const { statusCode, headers } = stream.answer;
    assert.deepEqual(
      [statusCode, headers['content-type'], headers['cache-control']],
      [200, 'text/event-stream; charset=utf-8', 'no-store'],
    );
    assert.equal(headers['x-accel-buffering'], 'no', 'no proxy gathers it');
    assert.match(String(headers['x-request-id']), /^req_/);
    const feed = (await server.get('/api/v1/events', { key })).json.data;
    assert.deepEqual(
      stream.frames,
      feed.map((data: { sequence: number; type: string }) => ({ id: data.sequence, event: data.type, data })),
    );
    stream.close();
  });

  it('keeps a text with line breaks of every kind within its one line', async () => {
    const { accountId, key } = newLog();
    const text = 'a\nb\r\nc\rd\u2028e\u2029f\u0085g: h\n\nid: 7\n\n';
    await server.record(1, { accountId, text });
    const stream = await open(key, '?after=0');
    await until(() => stream.frames.length === 1);
    assert.equal(stream.frames[0]?.data.data.message.text, text);
    stream.close();
  });

  it('gives large events in their places among the small ones', async () => {
    const { accountId, key } = newLog();
    const text = 'x'.repeat(300_000);
    for (const large of [false, true, true, false, true, false])
      await server.record(1, { accountId, ...(large && { text }) });
    const stream = await open(key, '?after=0');
    await until(() => stream.frames.length === 6);
    assert.deepEqual(idsOf(stream), numbers(1, 6));
    assert.deepEqual(
      stream.frames.map(({ data }) => data.data.message.text.length),
      [0, text.length, text.length, 0, text.length, 0],
    );
    stream.close();
  });

  it('gives one after the other where each is larger than what is read ahead', async () => {
    const { accountId, key } = newLog();
    // More than are asked for while nothing is known of their size, and as many again.
    await server.record(21, { accountId, text: 'x'.repeat(70_000) });
    const stream = await open(key, '?after=0');
    await until(() => stream.frames.length === 21);
    assert.deepEqual(idsOf(stream), numbers(1, 21));
    stream.close();
  });

  it('gives nothing up to the number that it is told, also where the log ends before it', async () => {
    const { key, record } = newLog();
    await record(2);
    const stream = await open(key, '?after=5');
    await until(() => stream.comments.length > 2);
    await record(4);
    await until(() => stream.frames.length > 0);
    assert.deepEqual(idsOf(stream), [6]);
    stream.close();
  });

  it('beats on when the clock is set back', async (t) => {
    const real = Date.now;
    const clock = t.mock.method(Date, 'now', () => real() + 26 * 3_600_000);
    const stream = await open(newLog().key);
    await until(() => stream.comments.length > 0);
    clock.mock.restore();
    const before = stream.comments.length;
    await until(() => stream.comments.length > before + 2);
    stream.close();
  });

  it('begins with what is recorded from now on', async () => {
    const { key, record } = newLog();
    await record(3);
    const stream = await open(key);
    await record(2);
    await until(() => stream.frames.length === 2);
    assert.deepEqual(idsOf(stream), [4, 5]);
    stream.close();
  });

  it('tells first where it begins, so that a reader who is cut off before the first event misses none', async () => {
    const { key, record } = newLog();
    await record(3);
    const stream = await open(key, '?type=message.read');
    const [begun] = await until(() => stream.comments.length > 0 && stream.comments);
    assert.equal(begun, ': the stream has begun\nid: 3');
    stream.close();
    await record(1, ['message.read']);
    const again = await open(key, '?type=message.read', { 'last-event-id': '3' });
    await until(() => again.frames.length === 1);
    assert.deepEqual([again.comments[0], idsOf(again)], [': the stream has begun', [4]]);
    again.close();
  });

  it('begins after Last-Event-ID before ?after= before now; an empty one is none', async () => {
    const { key, record } = newLog();
    await record(9);
    const cases: [query: string, header: string | undefined, first: number][] = [
      ['?after=6', undefined, 7],
      ['?after=6', '2', 3],
      ['', '8', 9],
      ['?after=6', '', 7],
      ['?after=6', '0', 1],
    ];
    for (const [query, header, first] of cases) {
      const stream = await open(key, query, header === undefined ? {} : { 'last-event-id': header });
      await until(() => stream.frames.at(-1)?.id === 9);
      assert.deepEqual(idsOf(stream), numbers(first, 9), `${query} ${header}`);
      stream.close();
    }
  });

  it('refuses a Last-Event-ID that is no number of ours: to begin now would leave out events without a word', async () => {
    const { key } = newLog();
    for (const header of ['evt_x', '-1', '1.0', '0x1', '1e3', '5, 5', '1234567890123456']) {
      const headers = { authorization: `Bearer ${key}`, 'last-event-id': header };
      const answer = await fetch(`${server.url}/api/v1/events/stream?after=6`, {
        headers,
        signal: AbortSignal.timeout(30_000),
      });
      const { status, headers: answered } = answer;
      const text = await answer.text();
      const errors = assertProblem({ status, headers: answered, json: JSON.parse(text), text }, 'invalid_request');
      assert.deepEqual(errors, [
        { parameter: 'Last-Event-ID', detail: 'This must be a whole number of 1 to 15 digits.' },
      ]);
    }
  });

  it('passes on only the types that are asked for', async () => {
    const { key, record } = newLog();
    const stream = await open(key, '?type=message.read,message.failed');
    for (let round = 0; round < 5; round++) await record(6, ['message.sent', 'message.read', 'message.delivered']);
    await record(1, ['message.failed']);
    await until(() => stream.frames.length === 11);
    assert.deepEqual(idsOf(stream), [2, 5, 8, 11, 14, 17, 20, 23, 26, 29, 31]);
    stream.close();
  });

  it('is of one account and one mode', async () => {
    const { accountId, key, record } = newLog();
    const [stream, live] = [await open(key), await open(server.createKey({ accountId, mode: 'live' }))];
    await server.record(3, { accountId: newId() });
    await server.record(1, { accountId, mode: 'live' });
    await record(2);
    await until(() => stream.frames.length === 2 && live.frames.length === 1);
    assert.deepEqual([idsOf(stream), idsOf(live)], [[1, 2], [1]]);
    stream.close();
    live.close();
  });

  it('sends a comment when nothing else was sent for a while, also while events of other types are recorded', async () => {
    const { key, record } = newLog();
    const [quiet, filtered] = [await open(key, '?type=message.read'), await open(key, '?type=message.failed')];
    const beats = ({ comments }: OpenStream) => comments.filter((comment) => comment === ': still here').length;
    await until(async () => {
      await record(1);
      return beats(quiet) >= 3 && beats(filtered) >= 3;
    });
    assert.deepEqual([quiet.frames, filtered.frames], [[], []]);
    quiet.close();
    filtered.close();
  });

  it('does not look again and again at events that do not pass its filter', async () => {
    await until(() => server.waiting() === 0);
    const { key, record } = newLog();
    const stream = await open(key, '?type=message.failed');
    await record(1, ['message.read']);
    await until(() => stream.comments.length >= 3);
    // Each comment is followed by a look of two statements. On a busy machine one may be on its way here when the next one is made, so what
    // they came after counts, which is the time between them.
    const [comments, asked, beganMs] = [stream.comments.length, server.asked(), performance.now()];
    await until(() => stream.comments.length >= comments + 5);
    const looks = (server.asked() - asked) / 2;
    const beats = (performance.now() - beganMs) / HEARTBEAT_MS;
    assert.ok(looks <= beats + 1, `${looks} looks in ${beats} beats`);
    stream.close();
  });

  it('goes on where it broke off without loss or doubling, while others write', async () => {
    const { key, record } = newLog();
    const total = 600;
    const writing = (async () => {
      for (let written = 0; written < total; written += 15) await record(15);
    })();
    const seen: number[] = [];
    while ((seen.at(-1) ?? 0) < total) {
      const stream = await open(key, '?after=0', seen.length === 0 ? {} : { 'last-event-id': String(seen.at(-1)) });
      const enough = Math.min(total - seen.length, 20 + (seen.length % 65));
      await until(() => stream.frames.length >= enough);
      stream.close();
      seen.push(...idsOf(stream));
    }
    await writing;
    assert.deepEqual(seen, numbers(1, total));
  });

  it('ends soon after its key was revoked, also while events are recorded', async () => {
    const { accountId, record } = newLog();
    const revoked = server.createKey({ accountId });
    const [stream, other] = [await open(revoked), await open(server.createKey({ accountId }))];
    await record(1);
    await until(() => stream.frames.length === 1);
    const startMs = performance.now();
    server.revokeKey(revoked);
    const state = { over: false };
    stream.ended.then(() => (state.over = true));
    await until(async () => {
      await record(1);
      return state.over;
    });
    assert.ok(performance.now() - startMs < 15_000);
    const last = stream.frames.length;
    await record(5);
    await until(() => other.frames.length >= last + 5);
    assert.equal(stream.frames.length, last);
    other.close();
  });

  it('stops waiting when its reader hangs up', async () => {
    await until(() => server.waiting() === 0);
    const streams = await Promise.all([1, 2, 3].map(() => open(newLog().key)));
    await until(() => server.waiting() === 3);
    for (const stream of streams) stream.close();
    await until(() => server.waiting() === 0);
  });
});

it('a stream ends when its reader shuts down its side, because a process that has ended does the same', async () => {
  await until(() => server.waiting() === 0);
  const { port } = new URL(server.url);
  const reader = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
  reader.write(`GET /api/v1/events/stream HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${newLog().key}\r\n\r\n`);
  await until(() => server.waiting() === 1);
  let text = '';
  reader.on('data', (chunk) => (text += chunk)).end();
  await until(() => reader.readableEnded);
  assert.match(text, /\r\nconnection: close\r\n/, 'nobody may wait for another answer behind it');
  assert.equal(server.waiting(), 0);
});

it('a stream stays while the store cannot tell whether its key is still valid', async () => {
  let asked = 0;
  const away = await startEventServer({
    authenticate: async () => {
      asked += 1;
      throw new StoreUnavailable(new Error('The connection broke'), false);
    },
  });
  const stream = await openStream(away.url, away.key);
  await until(() => asked > 2);
  await away.record(1);
  await until(() => stream.frames.length === 1);
  stream.close();
  await away.stop();
});

it('a stream has its comments also while events never cease', async () => {
  const { key, record } = newLog();
  const stream = await open(key);
  // A record that takes long is a pause in which a comment comes in any case, and so that time does not count.
  for (let busyMs = 0; busyMs < 10 * HEARTBEAT_MS; ) {
    const beganMs = performance.now();
    await record(1);
    busyMs += Math.min(performance.now() - beganMs, HEARTBEAT_MS / 4);
  }
  // The first one says that the stream has begun.
  assert.ok(stream.comments.length > 3, `${stream.comments.length} comments beside ${stream.frames.length} events`);
  stream.close();
});

describe('a stream whose reader stops reading', () => {
  const STALLED_MS = 1_500;
  const STRICT_HEARTBEAT_MS = 100;
  let strict: EventServer;
  before(async () => {
    strict = await startEventServer({ heartbeatMs: STRICT_HEARTBEAT_MS, stalledMs: STALLED_MS });
  });
  after(() => strict.stop());

  it('is dropped in the end, and goes on from there when it comes again', async () => {
    const { url, key } = strict;
    const stalled = await openStream(url, key, { query: '?after=0' });
    const reading = await openStream(url, key, { query: '?after=0' });
    stalled.answer.pause();
    // More than all the buffers between the two can hold.
    for (let batch = 0; batch < 40; batch++) await strict.record(50, { text: 'x'.repeat(10_000) });
    await until(() => reading.frames.length === 2_000);
    await until(async () => (await strict.connections()) === 1);
    stalled.answer.resume();
    assert.equal(await stalled.ended, 'broken');
    assert.ok(stalled.frames.length < 2_000);
    const again = await openStream(url, key, { headers: { 'last-event-id': String(stalled.frames.at(-1)?.id ?? 0) } });
    await until(() => stalled.frames.length + again.frames.length === 2_000);
    assert.deepEqual([...idsOf(stalled), ...idsOf(again)], numbers(1, 2_000));
    again.close();
    reading.close();
  });
});

describe('streams without a store', () => {
  it('break off, so that their readers come again, and feeds are told to', async () => {
    const failing = await startEventServer({ heartbeatMs: HEARTBEAT_MS });
    try {
      const stream = await openStream(failing.url, failing.key);
      await failing.database.close();
      assert.equal(await stream.ended, 'broken');
      assertProblem(await failing.get('/api/v1/events?wait=30'), 'unavailable');
      assertProblem(await failing.get('/api/v1/events/stream'), 'unavailable');
    } finally {
      await failing.stop();
    }
  });
});

describe('streams at the end of the process', () => {
  it('end also if they begin in the moment in which it closes', async () => {
    const { database, drop } = await createTestDatabase();
    const deps = {
      reads: createEventReads(
        database,
        () => '',
        (_, read) => read(),
      ),
      tail: createTail(database, pino({ level: 'silent' })),
      takePage: createCatchUp(),
      closing: AbortSignal.abort(),
    };
    const log = { accountId: newId(), mode: 'test', after: 0, beginsNow: true, types: null } as const;
    const stream = streamEvents(deps, { ...log, stillAllowed: async () => true });
    await once(stream.resume(), 'close');
    await drop();
  });

  it('end at once, those too whose reader has stopped reading', async () => {
    const ending = await startEventServer();
    try {
      const { url, key } = ending;
      const [reading, stalled] = [await openStream(url, key), await openStream(url, key)];
      stalled.answer.pause();
      for (let batch = 0; batch < 40; batch++) await ending.record(50, { text: 'x'.repeat(10_000) });
      await until(() => reading.frames.length === 2_000);
      const startMs = performance.now();
      await ending.drain();
      assert.ok(performance.now() - startMs < 20_000);
      assert.equal(await reading.ended, 'ended');
      stalled.answer.resume();
      await stalled.ended;
    } finally {
      await ending.stop();
    }
  });
});
