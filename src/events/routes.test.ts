import assert from 'node:assert/strict';
import { Agent, get } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { type EventServer, startEventServer } from '../../test/events/event-server.ts';
import { assertProblem } from '../../test/support/problem.ts';
import { until } from '../../test/support/until.ts';
import { newId } from '../kernel/ids.ts';
import { EVENT_TYPES } from './event.ts';

const FEED = '/api/v1/events';
/** Far less than the 30 s that are asked for here, far more than an answer takes on a busy machine. */
const AT_ONCE_MS = 10_000;

let server: EventServer;
before(async () => {
  server = await startEventServer();
});
after(() => server.stop());

/** A key of a new account, whose log is empty, and the account. */
function newLog() {
  const accountId = newId();
  return { accountId, key: server.createKey({ accountId }) };
}
const read = async (query: string, key: string) => {
  const { status, json, text } = await server.get(`${FEED}${query}`, { key });
  assert.equal(status, 200, text);
  return json;
};
const sequencesOf = (page: { data: { sequence: number }[] }) => page.data.map(({ sequence }) => sequence);
const parametersOf = async (query: string, path = FEED) =>
  assertProblem(await server.get(`${path}?${query}`), 'invalid_request').map(({ parameter }) => parameter);

describe('readers who wait at the same place of a log', () => {
  const READERS = 40;

  it('share what is asked of the store, whether what is recorded passes their filter or not', async () => {
    const { accountId, key } = newLog();
    const readings = Array.from({ length: READERS }, () => read('?wait=30&type=message.read', key));
    await until(() => server.waiting() === READERS);
    const askedBefore = server.asked();
    await server.record(1, { accountId, types: ['message.sent'] });
    await until(() => server.asked() > askedBefore && server.waiting() === READERS);
    await server.record(1, { accountId, types: ['message.read'] });
    const pages = await Promise.all(readings);
    assert.deepEqual([...new Set(pages.map((page) => String(sequencesOf(page))))], ['2']);
    const asked = server.asked() - askedBefore;
    assert.ok(asked < READERS, `${asked} statements for ${READERS} readers and two events`);
  });
});

describe('the feed', () => {
  it('gives events as they were recorded, oldest first, with the bounds of the log', async () => {
    const { accountId, key } = newLog();
    await server.record(3, { accountId, types: ['message.sent', 'message.read'] });
    const page = await read('', key);
    assert.deepEqual(Object.keys(page).toSorted(), ['data', 'latest_sequence', 'next_cursor', 'oldest_sequence']);
    assert.deepEqual([page.next_cursor, page.oldest_sequence, page.latest_sequence], [null, 1, 3]);
    const [first] = page.data;
    assert.deepEqual(Object.keys(first).toSorted(), ['account_id', 'data', 'id', 'sequence', 'timestamp', 'type']);
    assert.match(first.id, /^evt_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
    assert.match(first.timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.deepEqual([first.account_id, first.type, first.sequence], [accountId, 'message.sent', 1]);
    assert.deepEqual(sequencesOf(page), [1, 2, 3]);
    assert.equal(new Set(page.data.map(({ id }: { id: string }) => id)).size, 3);
  });

  it('gives all that was asked for up to the end that it tells, while events are being recorded', async () => {
    const { accountId, key } = newLog();
    const types = ['message.sent', 'message.read'] as const;
    const recording = (async () => {
      for (let event = 0; event < 300; event++)
        await server.record(1, { accountId, types: [types[event % 2] ?? 'message.sent'] });
    })();
    for (let after = 0; after < 300; ) {
      const page = await read(`?after=${after}&limit=100&type=message.sent`, key);
      const expected = Array.from(
        { length: Math.max(0, page.latest_sequence - after) },
        (_, place) => after + 1 + place,
      );
      const asked = expected.filter((sequence) => sequence % 2 === 1).slice(0, 100);
      assert.deepEqual(sequencesOf(page), asked, `${page.latest_sequence} after ${after}`);
      after = asked.length === 100 ? (asked.at(-1) ?? after) : Math.max(after, page.latest_sequence);
    }
    await recording;
  });

  it('goes on after any number, up to its limit', async () => {
    const { accountId, key } = newLog();
    await server.record(120, { accountId });
    assert.equal((await read('', key)).data.length, 50);
    assert.equal((await read('?limit=100', key)).data.length, 100);
    assert.deepEqual(sequencesOf(await read('?after=0&limit=1', key)), [1]);
    assert.deepEqual(sequencesOf(await read('?after=118', key)), [119, 120]);
    assert.deepEqual(sequencesOf(await read('?after=120', key)), []);
    assert.deepEqual(sequencesOf(await read('?after=999999999999999', key)), []);
  });

  it('gives only the types that are asked for', async () => {
    const { accountId, key } = newLog();
    await server.record(6, { accountId, types: ['message.sent', 'message.read', 'message.failed'] });
    assert.deepEqual(sequencesOf(await read('?type=message.read', key)), [2, 5]);
    assert.deepEqual(sequencesOf(await read('?type=message.failed,%20message.sent', key)), [1, 3, 4, 6]);
    assert.deepEqual(sequencesOf(await read('?type=message.read,message.read', key)), [2, 5]);
    assert.deepEqual(sequencesOf(await read('?type=endpoint.disabled', key)), []);
    assert.deepEqual(sequencesOf(await read(`?type=${EVENT_TYPES.join(',')}`, key)), [1, 2, 3, 4, 5, 6]);
  });

  it('tells what has expired by its bounds', async () => {
    const { accountId, key } = newLog();
    const boundsOf = async () => {
      const { oldest_sequence: oldest, latest_sequence: latest, data } = await read('?after=1', key);
      return [oldest, latest, data.length];
    };
    assert.deepEqual(await boundsOf(), [1, 0, 0]);
    await server.record(5, { accountId });
    assert.deepEqual(await boundsOf(), [1, 5, 4]);
    await server.database.query('delete from event where account_id = $1 and sequence <= 3', [accountId]);
    assert.deepEqual(await boundsOf(), [4, 5, 2]);
    await server.database.query('delete from event where account_id = $1', [accountId]);
    assert.deepEqual(await boundsOf(), [6, 5, 0]);
  });

  it('is of one account and one mode', async () => {
    const { accountId, key } = newLog();
    const live = server.createKey({ accountId, mode: 'live' });
    await server.record(2, { accountId });
    await server.record(1, { accountId, mode: 'live' });
    assert.deepEqual(sequencesOf(await read('', key)), [1, 2]);
    assert.deepEqual(sequencesOf(await read('', live)), [1]);
    assert.deepEqual([(await read('', live)).latest_sequence, (await read('', newLog().key)).latest_sequence], [1, 0]);
  });

  it('needs a key with its scope, and so does the stream', async () => {
    const other = server.createKey({ scopes: ['messages:read', 'endpoints:manage'] });
    for (const path of [FEED, `${FEED}/stream`]) {
      assertProblem(await server.get(path, { key: null }), 'invalid_api_key');
      assertProblem(await server.get(path, { key: other }), 'insufficient_scope');
    }
    const right = server.createKey({ scopes: ['events:read'] });
    assert.equal((await server.get(FEED, { key: right })).status, 200);
  });

  it('refuses a query with faults and names every one of them', async () => {
    const wrong = {
      after: ['', '-1', '1.5', 'x', '1e3', '1234567890123456', '1&after=2'],
      limit: ['', '0', '101', '-1', '01', 'x'],
      wait: ['', '31', '-1', '1.5', '030', 'x', '99999'],
      type: ['', 'message', 'message.*', 'message.sent,', 'message.sent,message.lost', 'MESSAGE.SENT', 'a&type=b'],
    };
    for (const [parameter, values] of Object.entries(wrong))
      for (const value of values) assert.deepEqual(await parametersOf(`${parameter}=${value}`), [parameter], value);
    assert.deepEqual((await parametersOf('after=x&limit=0&wait=31&cursor=abc')).toSorted(), [
      'after',
      'cursor',
      'limit',
      'wait',
    ]);
    for (const parameter of ['after', 'type'])
      assert.deepEqual(await parametersOf(`${parameter}=x`, `${FEED}/stream`), [parameter]);
    for (const parameter of ['limit', 'wait'])
      assert.deepEqual(await parametersOf(`${parameter}=1`, `${FEED}/stream`), [parameter]);
  });

  it('shows an error of a message in the words of the table', async () => {
    const { accountId, key } = newLog();
    const error = {
      code: 'recipient_unreachable',
      provider: { code: 131026, title: 'x', details: null, trace_id: null },
    };
    await server.database.query(
      `insert into event (account_id, id, mode, sequence, type, data, at) values ($1, $2, 'test', 1, 'message.failed', $3, now())`,
      [accountId, newId(), JSON.stringify({ message: { error } })],
    );
    const [event] = (await read('', key)).data;
    const shown = event.data.message.error;
    assert.deepEqual(
      [shown.code, shown.fault, shown.retryable, shown.provider.code],
      ['recipient_unreachable', 'recipient', false, 131026],
    );
    assert.equal(shown.doc_url, 'http://127.0.0.1/docs/errors/recipient_unreachable');
  });
});

describe('a feed that waits', () => {
  /** Starts a read and tells whether and when it has been answered. */
  function waiting(query: string, key: string) {
    const startMs = performance.now();
    const state = { answered: false };
    const page = read(query, key).then((given) => {
      state.answered = true;
      return { given, tookMs: performance.now() - startMs };
    });
    return { page, state };
  }
  it('answers at once when there is something, or when it shall not wait', async () => {
    const { accountId, key } = newLog();
    assert.ok((await waiting('?wait=0', key).page).tookMs < AT_ONCE_MS);
    await server.record(1, { accountId });
    assert.ok((await waiting('?wait=30', key).page).tookMs < AT_ONCE_MS);
  });

  it('returns at the first event after its number', async () => {
    const { accountId, key } = newLog();
    await server.record(2, { accountId });
    const { page, state } = waiting('?after=2&wait=30', key);
    await until(() => server.waiting() === 1);
    assert.equal(state.answered, false);
    await server.record(2, { accountId });
    const { given, tookMs } = await page;
    assert.deepEqual([sequencesOf(given), given.latest_sequence], [[3, 4], 4]);
    assert.ok(tookMs < AT_ONCE_MS, `${tookMs} ms`);
  });

  it('does not return at events of other types, modes and accounts', async () => {
    const { accountId, key } = newLog();
    const { page, state } = waiting('?type=message.read&wait=30', key);
    await until(() => server.waiting() === 1);
    await server.record(5, { accountId });
    await server.record(1, { accountId, mode: 'live', types: ['message.read'] });
    await server.record(1, { types: ['message.read'] });
    await server.record(1, { accountId });
    // This one is woken later than the other one was.
    await read('?after=5&wait=30', key);
    await until(() => server.waiting() === 1);
    assert.equal(state.answered, false);
    await server.record(1, { accountId, types: ['message.read'] });
    assert.deepEqual(sequencesOf((await page).given), [7]);
  });

  it('gives an empty page with the bounds when its time is up', async () => {
    const { accountId, key } = newLog();
    await server.record(1, { accountId });
    const askedBefore = server.asked();
    const { given, tookMs } = await waiting('?type=message.read&wait=1', key).page;
    const asked = server.asked() - askedBefore;
    assert.ok(asked < 20, `${asked} statements: an event of another type is looked at once`);
    assert.deepEqual([given.data, given.oldest_sequence, given.latest_sequence], [[], 1, 1]);
    assert.ok(tookMs >= 950 && tookMs < 1_000 + AT_ONCE_MS, `${tookMs} ms`);
  });

  it('wakes many readers of many logs, each with its own events', async () => {
    const logs = Array.from({ length: 50 }, newLog);
    const pages = logs.map(({ key }) => waiting('?wait=30', key).page);
    await Promise.all(logs.map(({ accountId }, place) => server.record(1 + (place % 3), { accountId })));
    for (const [place, { given }] of (await Promise.all(pages)).entries())
      assert.equal(given.data[0].account_id, logs[place]?.accountId);
  });

  it('tells nothing to a key that was revoked meanwhile', async () => {
    const { accountId, key } = newLog();
    const answer = server.get(`${FEED}?wait=30`, { key });
    await until(() => server.waiting() === 1);
    server.revokeKey(key);
    await server.record(1, { accountId });
    assertProblem(await answer, 'invalid_api_key');
  });

  it('ends when its reader hangs up, or its connection is reset', async () => {
    for (const leave of ['destroy', 'resetAndDestroy'] as const) {
      const call = get(`${server.url}${FEED}?wait=30`, {
        agent: false,
        headers: { authorization: `Bearer ${newLog().key}` },
      });
      call.on('error', () => undefined); // It is this side that hangs up.
      await until(() => server.waiting() === 1);
      call.socket?.[leave]();
      await until(() => server.waiting() === 0, AT_ONCE_MS);
    }
  });

  it('leaves nothing behind on a connection that is used again and again', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const warnings: string[] = [];
    const onWarning = ({ message }: Error) => void warnings.push(message);
    process.on('warning', onWarning);
    const headers = { authorization: `Bearer ${newLog().key}` };
    for (let reads = 0; reads < 30; reads++) {
      const call = get(`${server.url}${FEED}`, { agent, headers });
      await new Promise((resolve, reject) =>
        call.on('error', reject).on('response', (answer) => answer.resume().on('end', resolve)),
      );
    }
    await new Promise(setImmediate);
    process.off('warning', onWarning);
    agent.destroy();
    assert.deepEqual(warnings, []);
  });
});

describe('a feed at the end of the process', () => {
  it('answers those that wait at once, with what there is', async () => {
    const ending = await startEventServer();
    try {
      const startMs = performance.now();
      const answers = [1, 2, 3].map(() => ending.get(`${FEED}?wait=30`));
      await until(() => ending.waiting() === 3);
      await ending.drain();
      for (const { status, json } of await Promise.all(answers)) assert.deepEqual([status, json.data], [200, []]);
      assert.ok(performance.now() - startMs < AT_ONCE_MS);
    } finally {
      await ending.stop();
    }
  });
});
