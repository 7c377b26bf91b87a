import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { get, type IncomingMessage } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { type EventServer, startEventServer } from '../../test/events/event-server.ts';
import { writePage } from './write-page.ts';

const FEED = '/api/v1/events';
/** About as large as an event can be. So many are more than all answers together may hold that nobody has read yet. */
const TEXT = randomBytes(2_000_000).toString('hex');
const LARGE = 35;
const EVENTS = 2 + LARGE + 1;

describe('a page with large events', () => {
  let server: EventServer;
  before(async () => {
    server = await startEventServer();
    await server.record(2);
    for (let count = 0; count < LARGE; count += 1) await server.record(1, { text: TEXT, types: ['message.received'] });
    await server.record(1);
  });
  after(() => server.stop());

  const numbers = (last: number) => Array.from({ length: last }, (_, place) => place + 1);
  /** An answer of which nothing is read yet. */
  const open = () =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const headers = { authorization: `Bearer ${server.key}` };
      get(`${server.url}${FEED}?limit=100`, { headers, agent: false }, resolve).on('error', reject);
    });

  it('has all that was asked for, because a reader takes a shorter one for the end of the log', async () => {
    const { status, headers, json } = await server.get(`${FEED}?limit=100`);
    assert.deepEqual([status, headers.get('content-type')], [200, 'application/json; charset=utf-8']);
    const { data, ...bounds } = json;
    assert.deepEqual(bounds, { next_cursor: null, oldest_sequence: 1, latest_sequence: EVENTS });
    assert.deepEqual(
      data.map(({ sequence }: { sequence: number }) => sequence),
      numbers(EVENTS),
    );
    for (const { type, data: told } of data)
      assert.equal(told.message.text === TEXT, type === 'message.received', 'each is whole');
  });

  it('counts as one large event and all small ones while nobody reads it', async () => {
    const [small, large] = [{ sequence: 1, type: 'message.sent', text: '{}' }, async () => '{}'];
    const events = [small, { ...small, text: large }, small, { ...small, text: large }];
    const { bytesHeld } = await writePage({ events, latest: 4 }, async () => 1);
    assert.equal(bytesHeld, (8 << 20) + 2 * small.text.length);
  });

  it('has those of the types that were asked for, up to its limit', async () => {
    const { json } = await server.get(`${FEED}?limit=3&after=2&type=message.received`);
    assert.deepEqual(
      json.data.map(({ sequence }: { sequence: number }) => sequence),
      [3, 4, 5],
    );
  });

  it('is read from the store as its reader takes it', async () => {
    const askedBefore = server.asked();
    const answer = await open();
    // What the system takes off us for the reader is in the buffers of the connection: some of these events.
    await server.get(`${FEED}?limit=1`);
    const asked = server.asked() - askedBefore;
    assert.ok(asked < LARGE / 2, `${asked} statements`);
    answer.destroy();
  });

  it('breaks at one that has expired meanwhile, and asked anew it tells what has', async () => {
    const answer = await open();
    await server.database.query('update event_sequence set expired = $2 where account_id = $1', [
      server.accountId,
      EVENTS - 2,
    ]);
    await assert.rejects(answer.toArray(), { code: 'ECONNRESET' });
    const { json } = await server.get(`${FEED}?limit=100`);
    assert.deepEqual([json.oldest_sequence, json.data.length], [EVENTS - 1, 2]);
  });
});
