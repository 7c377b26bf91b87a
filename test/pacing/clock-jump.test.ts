import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it, mock } from 'node:test';
import { callApi } from '../support/gateway.ts';
import { until } from '../support/until.ts';
import { countWaitingForLocks } from '../support/waiting-for-locks.ts';
import { type LiveWorld, startLiveWorld } from './live-world.ts';

const AHEAD_MS = 26 * 3_600_000;
const DEADLINE_MS = 2_000;
const realNow = Date.now;

/** The time of day is set to that of tomorrow and back, as by a wrong time server. Timers go on as before, as they do on a real machine. */
describe('a clock that was wrong for a moment', () => {
  let world: LiveWorld;
  let from = '';
  before(async () => {
    // The deadline is over well before the gateway would give up on the provider.
    world = await startLiveWorld({ WAYPOST_SEND_DEADLINE_MS: String(DEADLINE_MS) });
    from = await world.connect();
  });
  after(() => world.stop());
  afterEach(() => mock.restoreAll());

  const setAhead = () => mock.method(Date, 'now', () => realNow() + AHEAD_MS);
  const setRight = () => mock.restoreAll();

  it('holds nobody back afterwards: neither the person who was written to, nor the channel', async () => {
    setAhead();
    for (let number = 0; number < 3; number++)
      assert.equal((await world.sendText(from, ['+447700900001'])).json.accepted_count, 1);
    setRight();
    const { json } = await world.sendText(from, ['+447700900001', '+447700900002']);
    assert.equal(json.accepted_count, 2, JSON.stringify(json));
  });

  it('does not leave its time in what is made afterwards', async () => {
    setAhead();
    await world.sendText(from, ['+447700900003']);
    setRight();
    const { json } = await world.sendText(from, ['+447700900004']);
    const message = await world.call('GET', `/api/v1/messages/${json.results[0].id}`);
    assert.ok(Math.abs(Date.parse(message.json.created_at) - Date.now()) < 60_000, message.json.created_at);
  });

  it('does not move the deadline of a send that came meanwhile', async () => {
    // A new channel has no turns in stock, and must ask for them.
    const own = await world.connect();
    await world.sendText(own, ['+447700900005']);
    const release = world.provider.hold();
    const { database } = world.gateway;
    try {
      setAhead();
      const sending = database.transaction(async (tx) => {
        await tx.query('select 1 from channel_pace for update');
        const answer = world.sendText(own, ['+447700900006']);
        await until(async () => (await countWaitingForLocks(database)) > 0);
        setRight();
        return { answer };
      });
      const startMs = performance.now();
      const { json } = await (await sending).answer;
      assert.equal(json.results[0].error.code, 'outcome_unknown');
      assert.ok(performance.now() - startMs < DEADLINE_MS + 10_000);
    } finally {
      release();
    }
  });

  it('does not keep a revoked key alive', async () => {
    const { database, url, createKey, accountId } = world.gateway;
    const key = await createKey({ accountId, mode: 'live' });
    const call = () => callApi(url, 'GET', '/api/v1/messages', { key });
    setAhead();
    assert.equal((await call()).status, 200);
    setRight();
    // As another node would do it, so that this node is not told.
    await database.query(
      'update api_key set revoked_at = now() where id = (select id from api_key order by created_at desc limit 1)',
    );
    await until(async () => (await call()).status === 401);
  });
});
