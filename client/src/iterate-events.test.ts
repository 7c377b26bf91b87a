import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it, type TestContext } from 'node:test';
import { type EventServer, startEventServer } from '../../test/events/event-server.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { startGatewayProcess } from '../../test/support/process.ts';
import { startSandboxBeside } from '../../test/support/sandbox-beside.ts';
import { until } from '../../test/support/until.ts';
import { type LossyProxy, startLossyProxy } from '../test/lossy-proxy.ts';
import { type EventGap, type EventIteration, EventsExpiredError, Waypost, WaypostError } from './index.ts';
import { iterateEvents } from './iterate-events.ts';

describe('events.iterate', () => {
  let server: EventServer;
  let proxy: LossyProxy;
  let waypost: Waypost;
  before(async () => {
    server = await startEventServer();
    proxy = await startLossyProxy(server.url);
    waypost = new Waypost({ baseUrl: proxy.url, apiKey: server.key, retriesMax: 0 });
  });
  after(async () => {
    await proxy.close();
    await server.stop();
  });
  beforeEach(() => {
    proxy.plan = [];
  });
  const end = async () => (await waypost.events.list({ limit: 1 })).latest_sequence;

  it('gives every event once, in its order, over pages, waits and connections that break', async () => {
    const after = await end();
    await server.record(230);
    const interruptions: WaypostError[] = [];
    proxy.plan = ['pass', 'lose_answer', 'pass', 'lose_request', 'pass', { status: 503, code: 'unavailable' }, 'pass'];
    const reading = take(waypost, 260, { after, onInterruption: (error) => interruptions.push(error) });
    await until(() => server.waiting() === 1);
    proxy.cutAll();
    await server.record(30);
    assert.deepEqual(await reading, numbers(after + 1, after + 260));
    assert.deepEqual(interruptions.map(({ code }) => code).slice(0, 3), ['no_answer', 'no_answer', 'unavailable']);
    assert.equal(interruptions.length, 4);
  });

  it('begins with what comes from now on, unless it is told otherwise', async () => {
    await server.record(3);
    const after = await end();
    const starts: number[] = [];
    const onStart = (start: number) => starts.push(start);
    const reading = take(waypost, 2, { onStart });
    await until(() => server.waiting() === 1);
    assert.deepEqual(starts, [after], 'it is told before there is an event');
    await server.record(2);
    assert.deepEqual(await reading, [after + 1, after + 2]);
    assert.deepEqual(await take(waypost, 2, { after: 'oldest', onStart }), [1, 2]);
    assert.deepEqual(starts, [after, 0]);
  });

  it('gives the types that were asked for, and steps over the others', async () => {
    const after = await end();
    const reading = take(waypost, 3, { after, types: ['message.failed'] });
    await server.record(120, { types: ['message.sent'] });
    await server.record(2, { types: ['message.failed'] });
    await until(() => server.waiting() === 1);
    await server.record(150, { types: ['message.sent'] });
    await server.record(1, { types: ['message.failed'] });
    assert.deepEqual(await reading, [after + 121, after + 122, after + 273]);
  });

  it('ends without an error when it is told to, also while it waits', async () => {
    const ending = new AbortController();
    const reading = take(waypost, 1, { signal: ending.signal });
    await until(() => server.waiting() === 1);
    ending.abort();
    assert.deepEqual(await reading, []);
    assert.deepEqual(await take(waypost, 1, { signal: ending.signal }), []);
    assert.equal(getEventListeners(ending.signal, 'abort').length, 0);
  });

  it('gives nothing more once it is told to end, also of what it has read already', async () => {
    const after = await end();
    await server.record(3);
    const ending = new AbortController();
    const given: number[] = [];
    for await (const { sequence } of waypost.events.iterate({ after, signal: ending.signal })) {
      given.push(sequence);
      ending.abort();
    }
    assert.deepEqual(given, [after + 1]);
  });

  it('ends at once when its reader leaves while it waits, and hangs up', async () => {
    // If leaving does not end it, the test must fail and not hang.
    const events = waypost.events.iterate({ signal: AbortSignal.timeout(10_000) });
    const next = events.next();
    await until(() => server.waiting() === 1);
    const leftMs = performance.now();
    assert.deepEqual(await events.return(), { done: true, value: undefined });
    assert.ok(performance.now() - leftMs < 5_000, 'far less than an answer may be held back');
    assert.deepEqual(await next, { done: true, value: undefined });
    await until(() => server.waiting() === 0);
    const unread = waypost.events.iterate();
    assert.deepEqual(await unread.return(), { done: true, value: undefined });
    assert.deepEqual(await unread.next(), { done: true, value: undefined });
  });

  it('asks again within a minute, however long an answer asks it to wait', async (t) => {
    let tries = 0;
    const busy: typeof fetch = async () => {
      tries += 1;
      return new Response('{"code":"unavailable"}', { status: 503, headers: { 'retry-after': '99999999' } });
    };
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { events } = new Waypost({ baseUrl: server.url, apiKey: server.key, fetch: busy, retriesMax: 0 });
    const reading = events.iterate();
    const next = reading.next();
    const settled = () => new Promise(setImmediate);
    await settled();
    assert.equal(tries, 1);
    t.mock.timers.tick(59_000);
    await settled();
    assert.equal(tries, 1);
    t.mock.timers.tick(1_000);
    await settled();
    assert.equal(tries, 2);
    await reading.return();
    assert.deepEqual(await next, { done: true, value: undefined });
  });

  it('leaves the calls of its key to others, however events come', async () => {
    const after = await end();
    proxy.seen.length = 0;
    const beganMs = performance.now();
    const reading = take(waypost, 200, { after });
    for (let count = 0; count < 200; count += 1) await server.record(1);
    assert.deepEqual(await reading, numbers(after + 1, after + 200));
    const quarters = (performance.now() - beganMs) / 250;
    assert.ok(proxy.seen.length <= quarters + 4, `${proxy.seen.length} calls in ${quarters} quarters of a second`);
  });

  it('leaves them also where no answer is held back, as behind a proxy that hangs up half of its connections', async (t) => {
    let calls = 0;
    const turn = () => new Promise(setImmediate);
    const list = async () => {
      calls += 1;
      await turn();
      return { data: [], next_cursor: null, oldest_sequence: 1, latest_sequence: 0 };
    };
    const settled = async () => {
      for (let turns = 0; turns < 20; turns += 1) await turn();
    };
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const reading = iterateEvents(list, { after: 0 });
    t.after(() => reading.return());
    const next = reading.next();
    await settled();
    assert.equal(calls, 2, 'the first is not to be held back');
    t.mock.timers.tick(250);
    await settled();
    assert.equal(calls, 3);
    await reading.return();
    assert.deepEqual(await next, { done: true, value: undefined });
  });

  it('leaves them also where there are whole pages to read, and where the gateway cannot be reached', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    t.mock.method(performance, 'now', () => 0);
    const full = answering([{ oldest: 1, latest: 900, sequences: numbers(1, 100) }]);
    const reading = iterateEvents(full.list, { after: 0 });
    for (let count = 0; count < 100; count += 1) await reading.next();
    const next = reading.next();
    await new Promise(setImmediate);
    t.mock.timers.tick(39);
    await new Promise(setImmediate);
    assert.equal(full.asked.length, 1);
    t.mock.timers.tick(1);
    assert.equal((await next).value?.sequence, 1);
    await reading.return();

    let tries = 0;
    const away = async () => {
      tries += 1;
      throw new WaypostError('no_answer', 'The gateway did not answer.');
    };
    const waiting = iterateEvents(away, { after: 0 });
    const none = waiting.next();
    await new Promise(setImmediate);
    t.mock.timers.tick(120);
    await new Promise(setImmediate);
    assert.equal(tries, 1);
    t.mock.timers.tick(130);
    await new Promise(setImmediate);
    assert.equal(tries, 2);
    await waiting.return();
    assert.deepEqual(await none, { done: true, value: undefined });
  });

  it('steps over no number before an answer has looked at it that was put together after it was recorded', async (t) => {
    const { asked, list } = answering([{ oldest: 1, latest: 5 }]);
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const reading = iterateEvents(list, { after: 0 });
    const next = reading.next();
    for (let calls = 1; calls <= 3; calls += 1) await untilAsked(t, asked, calls);
    assert.deepEqual(asked, [0, 0, 5]);
    await reading.return();
    assert.deepEqual(await next, { done: true, value: undefined });
  });

  it('throws what waiting cannot mend', async () => {
    const stranger = new Waypost({ baseUrl: proxy.url, apiKey: 'wp_test_unknown' });
    await assert.rejects(take(stranger, 1), { code: 'invalid_api_key', status: 401 });
    const [unknown]: EventIteration['types'][] = [JSON.parse('["message.lost"]')];
    await assert.rejects(take(waypost, 1, { types: unknown }), { code: 'invalid_request' });
    await assert.rejects(take(waypost, 1, { after: (await end()) + 1 }), { code: 'sequence_unknown' });
    const kept: number = JSON.parse('"3"');
    await assert.rejects(take(waypost, 1, { after: kept, signal: AbortSignal.timeout(5_000) }), TypeError);
  });
});

describe('events that have expired', () => {
  it('are told of by an error, or by a callback, and then the iteration goes on behind them', async (t) => {
    const server = await startEventServer();
    t.after(() => server.stop());
    const waypost = new Waypost({ baseUrl: server.url, apiKey: server.key });
    await server.record(10);
    await server.database.query('delete from event where sequence <= 4');
    const error = await take(waypost, 1, { after: 1 }).catch((reason: unknown) => reason);
    assert.ok(error instanceof EventsExpiredError && error instanceof WaypostError);
    assert.deepEqual([error.name, error.gap], ['EventsExpiredError', { after: 1, oldest: 5 }]);
    const gaps: EventGap[] = [];
    assert.deepEqual(await take(waypost, 6, { after: 1, onGap: (gap) => gaps.push(gap) }), numbers(5, 10));
    assert.deepEqual(gaps, [{ after: 1, oldest: 5 }]);
    assert.deepEqual(await take(waypost, 6, { after: 4 }), numbers(5, 10));
    assert.deepEqual(await take(waypost, 6, { after: 'oldest' }), numbers(5, 10));

    // All events are gone, as in a log that was quiet for a month. Those that were read already are no gap.
    await server.database.query('delete from event');
    const ending = new AbortController();
    const quiet = take(waypost, 1, { after: 10, signal: ending.signal });
    await until(() => server.waiting() === 1);
    ending.abort();
    assert.deepEqual(await quiet, []);
    await assert.rejects(take(waypost, 1, { after: 9 }), { gap: { after: 9, oldest: 11 } });
  });

  it('are told of once, also where the whole log has expired', async (t) => {
    const { asked, list } = answering([{ oldest: 11, latest: 10 }]);
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const gaps: EventGap[] = [];
    const reading = iterateEvents(list, { after: 8, onGap: (gap) => gaps.push(gap) });
    const next = reading.next();
    for (let calls = 1; calls <= 3; calls += 1) await untilAsked(t, asked, calls);
    assert.deepEqual([asked, gaps], [[8, 10, 10], [{ after: 8, oldest: 11 }]]);
    await reading.return();
    assert.deepEqual(await next, { done: true, value: undefined });
  });

  it('are no gap where they are on the page, because they have expired since it was read', async () => {
    const { list } = answering([{ oldest: 4, latest: 9, sequences: [2, 3] }]);
    const reading = iterateEvents(list, { after: 1 });
    assert.equal((await reading.next()).value?.sequence, 2);
    await reading.return();
  });

  it('are no gap where only types that nobody asked for are gone', async (t) => {
    const server = await startEventServer();
    t.after(() => server.stop());
    const proxy = await startLossyProxy(server.url);
    t.after(() => proxy.close());
    const { events } = new Waypost({ baseUrl: proxy.url, apiKey: server.key });
    await server.record(5, { types: ['message.sent'] });
    // The same call with a shorter wait: only an empty answer shows that everything has been looked at.
    const list: typeof events.list = (query, options) =>
      events.list({ ...query, waitSeconds: Math.min(1, query?.waitSeconds ?? 0) }, options);
    const reading = iterateEvents(list, { after: 0, types: ['message.failed'] }).next();
    await until(() => proxy.seen.some(({ path }) => path.includes('after=5')));
    await server.database.query('delete from event');
    await server.record(1, { types: ['message.failed'] });
    assert.equal((await reading).value?.sequence, 6);
  });
});

describe('events.iterate over a crash of the gateway', () => {
  it('goes on where it was, with the gateway that is started next', async (t) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'waypost-client-'));
    const { url: databaseUrl, drop } = await createTestDatabase();
    const ending = new AbortController();
    t.after(async () => {
      ending.abort();
      await drop();
      await rm(dataDir, { recursive: true, force: true });
    });
    const sandbox = await startSandboxBeside();
    t.after(() => sandbox.stop());
    const start = async () => {
      const gateway = await startGatewayProcess(dataDir, { DATABASE_URL: databaseUrl, ...sandbox.settings });
      t.after(() => gateway.kill());
      return gateway;
    };
    const first = await start();
    const proxy = await startLossyProxy(first.dev.base_url);
    t.after(() => proxy.close());
    const waypost = new Waypost({ baseUrl: proxy.url, apiKey: first.dev.test_key });
    const to = numbers(1, 5).map((place) => `+44770090020${place}`);
    const sequences: number[] = [];
    const reading = (async () => {
      for await (const event of waypost.events.iterate({ after: 0, signal: ending.signal }))
        sequences.push(event.sequence);
    })();

    await waypost.send({ to, type: 'text', text: { body: 'Before' } });
    await until(() => sequences.length === 15);
    await first.kill();
    const second = await start();
    proxy.target = second.dev.base_url;
    await waypost.send({ to, type: 'text', text: { body: 'After' } });
    await until(() => sequences.length >= 30);
    ending.abort();
    await reading;
    assert.deepEqual(sequences, numbers(1, 30));
  });
});

/** The numbers of the next events, as many as `count`. */
async function take(waypost: Waypost, count: number, iteration: EventIteration = {}): Promise<number[]> {
  const sequences: number[] = [];
  // If an event never comes, the test must fail and not hang.
  const limit = AbortSignal.timeout(30_000);
  for await (const event of waypost.events.iterate({ signal: limit, ...iteration }))
    if (sequences.push(event.sequence) === count) break;
  return sequences;
}

function numbers(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, place) => first + place);
}

interface TestPage {
  oldest: number;
  latest: number;
  sequences?: number[];
}

/** A feed that gives these pages, and the last one again and again, and the numbers after which it was asked. */
function answering(pages: TestPage[]) {
  const asked: (number | undefined)[] = [];
  const list: Waypost['events']['list'] = async (query) => {
    const page = pages[asked.push(query?.after) - 1] ?? pages.at(-1);
    const data = (page?.sequences ?? []).map((sequence) => ({ sequence, type: 'message.sent' }));
    const { oldest, latest } = page ?? {};
    // As it comes from the network.
    return JSON.parse(JSON.stringify({ data, next_cursor: null, oldest_sequence: oldest, latest_sequence: latest }));
  };
  return { asked, list };
}

/** Lets the pauses between calls pass until there were so many. */
async function untilAsked(t: TestContext, asked: readonly unknown[], calls: number): Promise<void> {
  for (let turns = 0; asked.length < calls && turns < 100; turns += 1) {
    await new Promise(setImmediate);
    if (turns % 10 === 9) t.mock.timers.tick(250);
  }
}
