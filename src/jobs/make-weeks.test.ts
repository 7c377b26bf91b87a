import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { pino } from 'pino';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { freezeSchema } from '../../test/support/freeze-schema.ts';
import { until } from '../../test/support/until.ts';
import { countWaitingForLocks } from '../../test/support/waiting-for-locks.ts';
import { newId } from '../kernel/ids.ts';
import { joinNodes } from '../nodes/node.ts';
import { isTableGone } from '../store/table-gone.ts';
import { makeWeeks } from './make-weeks.ts';
import { startRounds } from './start-rounds.ts';
import { makePartitions } from './store.ts';

const log = pino({ level: 'silent' });

let test: TestDatabase;
beforeEach(async () => {
  test = await createTestDatabase();
  for (const parent of ['request', 'message'])
    for (const week of await weeksOf(parent)) await test.database.query(`drop table ${week}`);
});
afterEach(() => test.drop());

async function weeksOf(parent: string): Promise<string[]> {
  const rows = await test.database.query<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits
     where inhparent = to_regclass($1) and inhrelid <> to_regclass($1 || '_default') order by 1`,
    [parent],
  );
  return rows.map(({ name }) => name);
}

const isWaiting = async () => (await countWaitingForLocks(test.database)) > 0;

const KEEP = { messages: 90, content: 30, events: 30, notifications: 7, setAside: 30 };

describe('making weeks', () => {
  it('has contents stored as they are, so that a page is cut by their size', async () => {
    await makeWeeks(test.database, log);
    const stored = await test.database.query(
      `select distinct attstorage from pg_attribute a join pg_inherits on attrelid = inhrelid
       where inhparent in ('request'::regclass, 'message'::regclass) and attname = 'content'`,
    );
    assert.deepEqual(stored, [{ attstorage: 'e' }]);
  });

  it('never waits in a circle with who uses two tables, and makes them when they are to be had', async () => {
    const { database } = test;
    let making: Promise<void> | undefined;
    await database.transaction(async (tx) => {
      await tx.query('select 1 from message');
      making = makeWeeks(database, log);
      await until(isWaiting);
      await tx.query('select 1 from request');
    });
    await making;
    for (const parent of ['request', 'message']) assert.ok((await weeksOf(parent)).length > 1, parent);
  });

  it('goes on where another gateway drops a week that it is about to look after', async () => {
    const { database } = test;
    const [week = ''] = await weeksOf('event');
    await database.query(`alter table ${week} alter column id set statistics 20`);
    for (const later of await weeksOf('attempt')) await database.query(`drop table ${later}`);
    let making: Promise<void> | undefined;
    await database.transaction(async (tx) => {
      await tx.query(`drop table ${week}`);
      making = makeWeeks(database, log);
      await until(isWaiting);
    });
    await making;
    assert.ok((await weeksOf('attempt')).length > 0, 'what comes after it is made too');
  });

  it('takes a week for gone that is dropped between two looks at the catalog', async () => {
    const { database } = test;
    await database.query(`select partitions_make('event', now() - interval '30 days', now())`);
    const [oldest = ''] = await weeksOf('event');
    await database.query(`alter table ${oldest} alter column id set statistics 20`);
    const making = database.transaction(async (tx) => {
      await tx.query('set transaction isolation level repeatable read');
      // What this transaction finds in the catalog from now on is what there is at this moment; names are looked up as they are by then.
      await tx.query('select 1 from account');
      await database.query(`drop table ${oldest}`);
      await makePartitions(tx, 'event');
    });
    await assert.rejects(making, isTableGone);
  });

  it('lets a node start while the database refuses changes of its schema, and makes them when it does no more', async () => {
    const { database } = test;
    await makeWeeks(database, log);
    for (const week of [...(await weeksOf('message')), ...(await weeksOf('request'))])
      await database.query(`drop table ${week}`);
    await freezeSchema(database);
    const node = await joinNodes({ database, log });
    const lines: { msg: string; table?: string }[] = [];
    const noting = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const running = await startRounds({ database, node, docsUrl: () => '', rounds: [], keep: KEEP, log: noting });
    await running.stop();
    await node.leave();
    assert.deepEqual(
      lines.map(({ msg, table }) => [msg, table]),
      [
        ['partitions.put_off', 'message'],
        ['partitions.put_off', 'request'],
      ],
    );
    await database.query('alter event trigger refuse disable');
    await makeWeeks(database, log);
    assert.ok((await weeksOf('message')).length > 1);
  });

  it('takes in what is written into no week while it moves what was there', async () => {
    const { database } = test;
    const id = newId();
    let making: Promise<void> | undefined;
    await database.transaction(async (tx) => {
      await tx.query(
        `insert into message (account_id, id, channel_id, mode, direction, type, status, updated_at)
         values ($1, $2, $1, 'test', 'inbound', 'text', 'received', now())`,
        [newId(), id],
      );
      making = makeWeeks(database, log);
      await until(isWaiting);
    });
    await making;
    const [row] = await database.query<{ week: string }>(
      'select tableoid::regclass::text as week from message where id = $1',
      [id],
    );
    assert.ok(row !== undefined && (await weeksOf('message')).includes(row.week));
  });

  it('has minutes to move what was written into no week, however much that is', async () => {
    const { database } = test;
    await database.transaction((tx) =>
      tx.runScript(`
        create table allowed (ms integer);
        create function note_allowed() returns trigger language plpgsql as $$ begin
          insert into allowed select setting::integer from pg_settings where name = 'statement_timeout';
          return old;
        end $$;
        create trigger note_allowed before delete on message_default for each row execute function note_allowed()`),
    );
    await database.query(
      `insert into message (account_id, id, channel_id, mode, direction, type, status, updated_at)
       values ($1, $2, $1, 'test', 'inbound', 'text', 'received', now())`,
      [newId(), newId()],
    );
    await makeWeeks(database, log);
    assert.deepEqual(await database.query('select ms from allowed'), [{ ms: 600_000 }]);
  });

  it('lets a node start although a backup reads the tables meanwhile, and says what it has put off', async () => {
    const { database } = test;
    const lines: { msg: string; table?: string }[] = [];
    const node = await joinNodes({ database, log });
    const noting = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
    await database.transaction(async (tx) => {
      await tx.query('select 1 from message');
      const deps = { database, node, docsUrl: () => '', rounds: [], keep: KEEP };
      const running = await startRounds({ ...deps, log: noting });
      await running.stop();
    });
    assert.deepEqual(
      lines.map(({ msg, table }) => ({ msg, table })),
      [{ msg: 'partitions.put_off', table: 'message' }],
    );
    assert.ok((await weeksOf('request')).length > 1);
    assert.deepEqual(await weeksOf('message'), []);
    await node.leave();
  });
});
