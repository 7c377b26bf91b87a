import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { pino } from 'pino';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { whileTheyTakeTooLong } from '../../test/support/take-too-long.ts';
import { until } from '../../test/support/until.ts';
import { newId } from '../kernel/ids.ts';
import { StoreUnavailable } from '../kernel/store-unavailable.ts';
import { joinNodes } from '../nodes/node.ts';
import { type RunningRounds, startRounds } from './start-rounds.ts';
import { tidy } from './tidy.ts';

/** What somebody may hold a lock for; nobody waits for that at a start. */
const START_WITHIN_MS = 20_000;
const log = pino({ level: 'silent' });

let test: TestDatabase;
beforeEach(async () => {
  test = await createTestDatabase();
  await test.database.query(
    `insert into idempotency (account_id, mode, key, request_id, body_sha256, expires_at)
     select $1, 'test', n::text, $1, sha256(''), now() - interval '1 day' from generate_series(1, 12000) n`,
    [newId()],
  );
});
afterEach(() => test.drop());

const countKeys = async () =>
  (await test.database.query<{ keys: number }>('select count(*) as keys from idempotency'))[0]?.keys;

const KEEP = { messages: 90, content: 30, events: 30, notifications: 7, setAside: 30 };

describe('what has expired', () => {
  it('keeps no node from starting, whoever holds it, and is forgotten soon after', async () => {
    const { database } = test;
    const node = await joinNodes({ database, log });
    const running = await database.transaction(async (tx) => {
      await tx.query("select 1 from idempotency where key = '7000' for update");
      let started: RunningRounds | undefined;
      const deps = { database, node, docsUrl: () => '', log, rounds: [], keep: KEEP };
      const starting = startRounds({ ...deps, tidyAfterMs: 100 });
      starting.then((running) => {
        started = running;
      }, assert.ifError);
      return until(() => started, START_WITHIN_MS);
    });
    await until(async () => (await countKeys()) === 0);
    await running.stop();
    await node.leave();
  });

  it('is forgotten although the database does not forget something else in time', async () => {
    const { database } = test;
    await database.query(
      "insert into applied_news (sha256, applied_at) values (sha256(''), now() - interval '1 year')",
    );
    await whileTheyTakeTooLong(database, ['delete on idempotency for each row'], () =>
      assert.rejects(
        tidy({ database, log, keep: KEEP }, () => false),
        StoreUnavailable,
      ),
    );
    assert.deepEqual(await database.query('select 1 from applied_news'), []);
  });
});

describe('what was put off before the clock of the database was set back', () => {
  it('is due after the next round of tidying', async () => {
    const { database } = test;
    const id = newId();
    await database.query("insert into account (id, name) values ($1, 'Test')", [id]);
    await database.query(
      "insert into endpoint (account_id, id, mode, url, secret_sealed) values ($1, $1, 'test', 'http://127.0.0.1:9/', '')",
      [id],
    );
    await database.query(
      `insert into delivery (account_id, endpoint_id, event_id, next_at) values ($1, $1, $1, now() + interval '3 days')`,
      [id],
    );
    await database.query(
      "insert into notification (id, origin, body, next_at) values ($1, 'test', '', now() + interval '3 days')",
      [id],
    );
    await database.query(
      `insert into channel (account_id, id, mode, phone_number_id, business_account_id, phone_number, access_token_sealed,
         facts_read_at)
       values ($1, $1, 'live', '1', '2', '+15550790000', '', now() + interval '3 days')`,
      [id],
    );
    await database.query(
      "insert into template_sync (account_id, mode, business_account_id, synced_at) values ($1, 'live', '2', now() + interval '3 days')",
      [id],
    );
    await database.query(
      "insert into erasure (account_id, id, persons, mark, due_at) values ($1, $1, '{x}', 'x', now() + interval '3 days')",
      [id],
    );
    await database.query(
      `insert into message_statistics_due (account_id, step, bucket_at, due_at)
       values ($1, 'minute', now(), now() + interval '3 days')`,
      [id],
    );
    await database.query("update account set deleted_at = now() + interval '3 days'");
    await tidy({ database, log, keep: KEEP }, () => false);
    for (const [table, when] of [
      ['delivery', 'next_at <= now()'],
      ['notification', 'next_at <= now()'],
      ['channel', 'facts_read_at is null'],
      ['message_statistics_due', 'due_at <= now()'],
      ['erasure', 'due_at <= now()'],
      ['account', 'deleted_at <= now()'],
      ['template_sync', "synced_at <= now() - interval '1 hour'"],
    ] as const)
      assert.deepEqual(await database.query(`select ${when} as due from ${table}`), [{ due: true }], table);
  });
});

describe('a start', () => {
  it('gives back what an earlier life of this process had claimed for endpoints', async () => {
    const { database } = test;
    // Its process id is ours, so it can only be gone.
    const gone = await joinNodes({ database, log });
    await database.query(
      `insert into delivery (account_id, endpoint_id, event_id, claimed_until, claimed_by)
       values ($1, $1, $1, now() + interval '45 seconds', $1), ($2, $2, $2, now() + interval '45 seconds', $2)`,
      [gone.id, newId()],
    );
    const node = await joinNodes({ database, log });
    const running = await startRounds({ database, node, docsUrl: () => '', log, rounds: [], keep: KEEP });
    const free = await database.query<{ id: string }>(
      'select claimed_by as id from delivery where claimed_until is null',
    );
    assert.deepEqual(free, [{ id: gone.id }]);
    await running.stop();
    await node.leave();
    await gone.leave();
  });
});

describe('rounds of which some run at a time', () => {
  it('go on while one of them is held up', async () => {
    const { database } = test;
    const node = await joinNodes({ database, log });
    const held = Promise.withResolvers<void>();
    let begun = 0;
    const run = () => (++begun === 1 ? held.promise : Promise.resolve());
    const rounds = [{ name: 'readings', run, everyMs: 1, atATime: 2 }];
    const running = await startRounds({ database, node, docsUrl: () => '', log, rounds, keep: KEEP });
    await until(() => begun > 3);
    held.resolve();
    await running.stop();
    await node.leave();
  });
});
