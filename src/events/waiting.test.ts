import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { type EventServer, startEventServer } from '../../test/events/event-server.ts';
import { type OpenStream, openStream } from '../../test/events/open-stream.ts';
import { assertProblem } from '../../test/support/problem.ts';
import { until } from '../../test/support/until.ts';
import { newId } from '../kernel/ids.ts';

const LIMITS = { placesMax: 4, ofAccountMax: 2 };
const FEED = '/api/v1/events';

let server: EventServer;
before(async () => {
  server = await startEventServer({ waitingLimits: LIMITS });
});
after(() => server.stop());

/** Opens a stream. One that has ended gives its place back only when the server has noticed. */
const opened = (key: string, query = ''): Promise<OpenStream> =>
  until(async () => {
    const stream = await openStream(server.url, key, { query });
    if (stream.answer.statusCode === 200) return stream;
    stream.close();
    return undefined;
  });

it('an account may let so many streams and feeds wait and no more, and has its places again once they have ended', async () => {
  const accountId = newId();
  const key = server.createKey({ accountId });
  const stream = await opened(key);
  const feed = server.get(`${FEED}?wait=30`, { key });
  await until(() => server.waiting() === LIMITS.ofAccountMax);
  for (const path of [`${FEED}/stream`, `${FEED}?wait=1`]) {
    const refused = await server.get(path, { key });
    assertProblem(refused, 'rate_limited');
    assert.equal(refused.headers.get('retry-after'), '5');
  }
  assert.equal((await server.get(FEED, { key })).status, 200, 'what does not wait needs no place');

  stream.close();
  await server.record(1, { accountId });
  assert.equal((await feed).json.data.length, 1);
  const again = await Promise.all([opened(key, '?after=1'), opened(key)]);
  for (const { close } of again) close();
});

it('all accounts together have so many places on a gateway', async () => {
  const keys = Array.from({ length: LIMITS.placesMax }, () => server.createKey({ accountId: newId() }));
  const streams = await Promise.all(keys.map((key) => opened(key)));
  assertProblem(await server.get(`${FEED}/stream`, { key: server.createKey({ accountId: newId() }) }), 'unavailable');
  for (const { close } of streams) close();
});
