import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { listen } from '../../client/test/listen.ts';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { systemClock } from '../kernel/clock.ts';
import { firstIdOfMs, newId } from '../kernel/ids.ts';
import { keepLimits } from '../kernel/keep.ts';
import { insertPacks } from '../notifications/pack-store.ts';
import { type Database, openDatabase } from '../store/database.ts';
import { createQueueLook } from './queues.ts';

const ACCOUNT = newId();
const DAYS = { messages: 90, content: 30, events: 30, notifications: 7, setAside: 30 };
const limits = () => keepLimits(DAYS, systemClock.nowMs());

let test: TestDatabase;
before(async () => {
  test = await createTestDatabase();
});
after(() => test.drop());

describe('the look at the queues', () => {
  it('tells how much waits and for how long the oldest is overdue', async () => {
    const insert = `insert into notification (id, origin, body, state, next_at)
      select gen_random_uuid(), 'test', '', state::notification_state, now() + wait from (values
        ('waiting', interval '-30 s'), ('waiting', '-90 s'), ('waiting', '1 h')) as t(state, wait)`;
    await test.database.query(insert);
    const setAside =
      "insert into notification (id, origin, body, state) select id, 'test', '', 'set_aside' from unnest($1::uuid[]) as id";
    const { setAsideFromMs } = limits();
    await test.database.query(setAside, [[setAsideFromMs - 60_000, setAsideFromMs + 60_000].map(firstIdOfMs)]);
    const packed = { id: newId(), origin: 'test' as const, body: Buffer.from(''), busy: false };
    await insertPacks(test.database, [packed, { ...packed, id: newId() }]);
    await test.database.query(`update notification_pack set received_at = now() - interval '200 s'`);
    const queues = await createQueueLook(test.database, limits)();
    const { depth, oldestSeconds } = queues?.get('notifications') ?? {};
    assert.equal(depth, 4);
    assert.ok(oldestSeconds && oldestSeconds >= 200 && oldestSeconds < 260);
    assert.equal(queues?.get('notifications_waiting')?.depth, 5);
    // What is past its time is shown to nobody, although its week is still there.
    assert.equal(queues?.get('notifications_set_aside')?.depth, 1);
    assert.deepEqual(queues?.get('requests'), { depth: 0, oldestSeconds: 0 });
  });

  it('tells how many sends are under way, and how old the oldest of them is', async () => {
    await test.database.query(
      `insert into request (account_id, id, node_id, mode, channel_id, key_id, type, message_ids, intent, completed_at)
       select $1, id, $1, 'test', $1, $1, 'text', '{}', case when done then null else '{}'::jsonb end, case when done then now() end
       from unnest($2::uuid[], array[true, false, false]) as r(id, done)`,
      [ACCOUNT, [400_000, 200_000, 100_000].map((agoMs) => firstIdOfMs(Date.now() - agoMs))],
    );
    const { depth, oldestSeconds } = (await createQueueLook(test.database, limits)())?.get('requests') ?? {};
    assert.equal(depth, 2);
    assert.ok(oldestSeconds && oldestSeconds >= 199 && oldestSeconds < 260, `${oldestSeconds} s`);
    await test.database.query('delete from request');
  });

  it('tells how many live channels wait for a new access token', async () => {
    await test.database.query(
      `with account as (insert into account (id, name) select gen_random_uuid(), 'Acme' returning id)
       insert into channel (id, account_id, mode, phone_number_id, business_account_id, phone_number,
         access_token_sealed, status)
       select gen_random_uuid(), account.id, mode::mode, n::text, '1', '+15550000001', '', status::channel_status
       from account, (values (1, 'live', 'suspended'), (2, 'live', 'connected'), (3, 'test', 'suspended'),
         (4, 'live', 'removed')) as t(n, mode, status)`,
    );
    const queues = await createQueueLook(test.database, limits)();
    assert.deepEqual(queues?.get('channels_suspended'), { depth: 1, oldestSeconds: null });
  });

  it('tells apart what waits for a slow endpoint and what waits for us', async () => {
    const [slow, untouched, disabled] = [newId(), newId(), newId()];
    await test.database.query(
      `insert into endpoint (account_id, id, mode, url, secret_sealed, enabled)
       select $1, id, 'test', 'https://example.com', '', id <> $4 from unnest(array[$2, $3, $4]::uuid[]) as id`,
      [ACCOUNT, slow, untouched, disabled],
    );
    const deliver = `insert into delivery (account_id, endpoint_id, event_id, next_at, claimed_until)
      values ($1, $2, $3, now() - $4::interval, now() + $5::interval)`;
    await test.database.query(deliver, [ACCOUNT, slow, newId(), '300 s', '30 s']);
    await test.database.query(deliver, [ACCOUNT, slow, newId(), '200 s', null]);
    // Whoever had claimed it is gone.
    await test.database.query(deliver, [ACCOUNT, untouched, newId(), '100 s', '-1 s']);
    await test.database.query(deliver, [ACCOUNT, untouched, newId(), '-1 h', null]);
    await test.database.query(deliver, [ACCOUNT, disabled, newId(), '900 s', null]);
    const queues = await createQueueLook(test.database, limits)();
    assert.equal(queues?.get('deliveries')?.depth, 3);
    assert.equal(Math.floor((queues?.get('deliveries')?.oldestSeconds ?? 0) / 100), 3);
    assert.equal(queues?.get('deliveries_untouched')?.depth, 1);
    assert.equal(Math.floor((queues?.get('deliveries_untouched')?.oldestSeconds ?? 0) / 100), 1);
  });

  it('is not asked for again within five seconds, however many scrape', async (t) => {
    let nowMs = performance.now();
    t.mock.method(performance, 'now', () => nowMs);
    const look = createQueueLook(test.database, limits);
    const told = await look();
    nowMs += 4_999;
    assert.equal(await look(), told);
    nowMs += 1;
    assert.notEqual(await look(), told);
  });

  it('waits for a database that does not answer for a second and no longer, as a scrape would else come to nothing', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const hanging = Promise.withResolvers<never>();
    const transaction: Database['transaction'] = () => hanging.promise;
    const look = createQueueLook({ ...test.database, transaction }, limits);
    let over = false;
    const told = look().finally(() => (over = true));
    const turn = () => new Promise(setImmediate);
    t.mock.timers.tick(999);
    await turn();
    assert.equal(over, false);
    t.mock.timers.tick(1);
    await turn();
    assert.equal(over, true);
    assert.equal(await told, undefined);
  });

  it('does not wait for a database that does not answer, and asks it once only', async () => {
    let asked = 0;
    const silent = createServer(() => asked++);
    const url = `postgresql://nobody@${new URL(await listen(silent)).host}/none`;
    const database = openDatabase({ connection: { url }, connections: 2, onError: () => {} });
    const look = createQueueLook(database, limits);
    const begunMs = performance.now();
    assert.deepEqual(await Promise.all([look(), look(), look()]), [undefined, undefined, undefined]);
    assert.ok(performance.now() - begunMs < 20_000);
    assert.equal(asked, 1);
    silent.close();
    await database.close();
  });
});
