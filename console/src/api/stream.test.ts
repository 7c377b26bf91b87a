import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { it, type TestContext } from 'node:test';
import { until } from '../../../test/support/until.ts';
import { number, record } from './decode.ts';
import { readStream } from './stream.ts';

it('a connection that is made and never answered is given up, as one that falls silent is', async (t) => {
  let asked = 0;
  const path = await serve(t, (_, answer) => {
    asked += 1;
    if (asked === 1) return;
    answer.writeHead(200, { 'content-type': 'text/event-stream' });
    answer.write('id: 8\ndata: {"sequence":8}\n\n');
  });
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { states, heard, stop, reading } = follow(path);
  await until(() => asked === 1);
  t.mock.timers.tick(45_000);
  await until(() => states.includes('waiting'));
  t.mock.timers.tick(1_000);
  await until(() => heard.length === 1);
  assert.deepEqual(states, ['connecting', 'waiting', 'connecting', 'live']);
  stop.abort();
  await reading;
});

it('a connection that brings what cannot be read is closed', async (t) => {
  let closed = false;
  const path = await serve(t, (_, answer) => {
    answer.on('close', () => (closed = true));
    answer.writeHead(200, { 'content-type': 'text/event-stream' });
    answer.write('id: 8\ndata: {"number":8}\n\n');
  });
  const { states, reading } = follow(path);
  await reading;
  assert.equal(states.at(-1), 'refused');
  await until(() => closed);
});

it('a refusal of the gateway is the end of it; one of a proxy is told with its status, and asked again', async (t) => {
  const answers = [
    [403, '<h1>Forbidden</h1>'],
    [401, '{"message":"Sign in"}'],
    [502, ''],
    [403, '{"code":"insufficient_scope","detail":"The key needs the scope events:read."}'],
  ] as const;
  let asked = 0;
  const path = await serve(t, (_, answer) => {
    const [status, body] = answers[asked] ?? [500, ''];
    asked += 1;
    answer.writeHead(status, { connection: 'close' }).end(body);
  });
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { states, statuses, stop, reading } = follow(path);
  for (const told of [1, 2, 3]) {
    await until(() => statuses.length === told);
    t.mock.timers.tick(20_000);
  }
  await until(() => states.at(-1) === 'refused');
  assert.deepEqual(statuses, [403, 401, 502]);
  stop.abort();
  await reading;
});

it('a stream that is made again and again leaves nothing behind at the signal that ends it', async (t) => {
  const path = await serve(t, (_, answer) => answer.writeHead(503).end());
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { states, stop, reading } = follow(path);
  for (let waits = 1; waits <= 4; waits++) {
    await until(() => states.filter((state) => state === 'waiting').length === waits);
    assert.equal(getEventListeners(stop.signal, 'abort').length, 1, 'that of the wait under way');
    t.mock.timers.tick(20_000);
  }
  stop.abort();
  await reading;
});

it('what is no JSON cannot be read later either, so it is not asked for again', async (t) => {
  let asked = 0;
  const path = await serve(t, (_, answer) => {
    asked += 1;
    if (asked > 1) return answer.writeHead(503).end();
    answer.writeHead(200, { 'content-type': 'text/event-stream' });
    return answer.end('id: 8\ndata: {"sequence":\n\n');
  });
  const { states, stop } = follow(path);
  await until(() => states.length === 3);
  stop.abort();
  assert.deepEqual(states, ['connecting', 'live', 'refused']);
});

it('a connection that is answered and ends at once is made again after longer and longer waits, until one lasts or brings something', async (t) => {
  let ends: (answer: ServerResponse) => void = (answer) => answer.end();
  const path = await serve(t, (_, answer) => {
    answer.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    ends(answer);
  });
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { states, waits, heard, stop, reading } = follow(path);
  const next = async () => {
    const before = waits.length;
    t.mock.timers.tick(20_000);
    await until(() => waits.length > before);
    return waits.at(-1) ?? 0;
  };
  await until(() => waits.length === 1);
  for (let failures = 2; failures <= 5; failures++) await next();
  // Each wait is 3/4 to 5/4 of its length.
  assert.ok((waits.at(-1) ?? 0) >= 5_900, `${waits}`);
  ends = (answer) => answer.end('id: 8\ndata: {"sequence":8}\n\n');
  assert.ok((await next()) < 700, `${waits}`);
  assert.deepEqual(heard, [8]);
  ends = (answer) => answer.end();
  assert.ok((await next()) >= 700, `${waits}`);
  const open = Promise.withResolvers<ServerResponse>();
  ends = open.resolve;
  const made = states.length;
  t.mock.timers.tick(20_000);
  const answer = await open.promise;
  await until(() => states.slice(made).includes('live'));
  t.mock.timers.tick(5_000);
  answer.end();
  await until(() => states.at(-1) === 'waiting');
  assert.ok((waits.at(-1) ?? 0) < 700, `${waits}`);
  stop.abort();
  await reading;
});

/** Serves the stream, and returns its address. */
async function serve(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/events/stream`;
}

function follow(path: string) {
  const stop = new AbortController();
  const states: string[] = [];
  const waits: number[] = [];
  const statuses: number[] = [];
  const heard: number[] = [];
  const reading = readStream(
    {
      ...{ key: 'wp_test_any', path, after: 7, decode: record({ sequence: number }) },
      onEvents: (events) => heard.push(...events.map(({ sequence }) => sequence)),
      onState: (state) => {
        states.push(state.kind);
        if (state.kind !== 'waiting') return;
        waits.push(state.retryAt - Date.now());
        statuses.push(state.status);
      },
    },
    stop.signal,
  );
  return { states, waits, statuses, heard, stop, reading };
}
