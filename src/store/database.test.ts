import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, connect as netConnect, type Server, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { DatabaseError } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { until } from '../../test/support/until.ts';
import { StoreUnavailable } from '../kernel/store-unavailable.ts';
import { createBatcher } from './batcher.ts';
import { type Connection, type Database, openDatabase } from './database.ts';
import { surelyRolledBack } from './rolled-back.ts';

const SLOW_INSERT = 'insert into item select 100 from pg_sleep(60)';
/** What the owner of a database sets, and what it is for us. */
const OF_THE_OWNER: Readonly<Record<string, readonly [theirs: string, ours: string]>> = {
  jit: ['on', 'off'],
  lock_timeout: ['20ms', '0'],
  default_transaction_isolation: ['serializable', 'read committed'],
  standard_conforming_strings: ['off', 'on'],
  array_nulls: ['off', 'on'],
  transform_null_equals: ['on', 'off'],
  extra_float_digits: ['-15', '1'],
  idle_session_timeout: ['1h', '0'],
};
const TRANSACTION_TIMEOUT = `select setting from pg_settings where name = 'transaction_timeout'`;
/** What the driver gives of them depends on what is set. */
const VALUES = `
  select to_timestamp(0) as time, ($1::integer[])[2] as item, '\\d' as backslash, 1::float8 / 3 as third, 1 = null as equal`;

let test: TestDatabase;
let database: Database;

before(async () => {
  test = await createTestDatabase({ migrated: false });
  database = test.database;
  await database.query('create table item (id integer primary key)');
});
after(() => test.drop());

describe('a statement', () => {
  it('reads bigint as a number, timestamptz as a Date and jsonb as its value', async () => {
    const rows = await database.query(
      `select 9007199254740991::bigint as n, '{"a": [1]}'::jsonb as j, to_timestamp(0) as t`,
    );
    assert.deepEqual(rows, [{ n: Number.MAX_SAFE_INTEGER, j: { a: [1] }, t: new Date(0) }]);
  });

  it('refuses to read a bigint that a number cannot hold', async () => {
    await assert.rejects(database.query('select 9007199254740993::bigint'), RangeError);
  });

  it('is prepared once for each connection, however often it runs', async () => {
    const one = openDatabase({ connection: test.connection, connections: 1, onError: () => undefined });
    for (let run = 0; run < 3; run += 1) await one.query('select $1::int as prepared_once', [run]);
    const names = await one.query(
      `select name from pg_prepared_statements where statement like 'select $1::int as prep%'`,
    );
    await one.close();
    assert.equal(names.length, 1);
  });

  it('runs with time limits and in UTC', async () => {
    const [limits] = await database.query(
      `select current_setting('statement_timeout') as statement, current_setting('timezone') as zone,
        current_setting('idle_in_transaction_session_timeout') as idle, current_setting('application_name') as name`,
    );
    assert.deepEqual(limits, { statement: '30s', zone: 'UTC', idle: '10s', name: 'waypost' });
  });

  it('runs on a connection that the server looks after: one that the network has forgotten keeps no place there', async () => {
    // On a Unix socket their values are shown as 0.
    const set = `select name from pg_settings where name like 'tcp_keepalives%' and source = 'session'`;
    assert.equal((await database.query(set)).length, 3);
  });

  it('goes by what it is written for, whatever the owner of the database has set for all of it', async (t) => {
    const other = await createTestDatabase({ migrated: false });
    t.after(other.drop);
    const [at] = await other.database.query<{ name: string }>('select current_database() as name');
    const set = (name: string, value: string) =>
      other.database.query(`alter database ${at?.name} set ${name} to '${value}'`);
    for (const [name, [theirs]] of Object.entries(OF_THE_OWNER)) await set(name, theirs);
    await set('datestyle', 'German');
    // A server up to 16 has no such limit.
    if ((await other.database.query(TRANSACTION_TIMEOUT)).length > 0) await set('transaction_timeout', '1h');
    const own = openDatabase({ connection: other.connection, connections: 1, onError: () => undefined });
    t.after(own.close);
    const settings = await own.query<{ name: string; setting: string }>(
      'select name, setting from pg_settings where name = any($1::text[])',
      [Object.keys(OF_THE_OWNER)],
    );
    const values = await own.query(VALUES, [[1, null]]);
    const limit = await own.query<{ setting: string }>(TRANSACTION_TIMEOUT);
    const ours = Object.entries(OF_THE_OWNER).map(([name, [, setting]]) => [name, setting]);
    assert.deepEqual(
      Object.fromEntries(settings.map(({ name, setting }) => [name, setting])),
      Object.fromEntries(ours),
    );
    assert.deepEqual(values, [{ time: new Date(0), item: null, backslash: '\\d', third: 1 / 3, equal: null }]);
    assert.ok(limit.every(({ setting }) => setting === '0'));
  });

  it('that is wrong throws its own error, which surely wrote nothing, and keeps its connection', async () => {
    const one = openDatabase({ connection: test.connection, connections: 1, onError: () => undefined });
    const pid = await backendOf(one);
    const error = await rejection(one.query('insert into item values (1), (1)'));
    assert.ok(!(error instanceof StoreUnavailable));
    assert.ok(surelyRolledBack(error));
    assert.equal(await backendOf(one), pid);
    await one.close();
  });

  for (const [what, script] of [
    ['that the server has forgotten', 'deallocate all'],
    ['whose result a migration has changed', 'alter table item add column note text'],
  ] as const)
    it(`${what} is unavailable with nothing in doubt, and prepared anew by the next call`, async () => {
      const one = openDatabase({ connection: test.connection, connections: 1, onError: () => undefined });
      const read = () => one.query('select * from item where id = 7');
      await read();
      await one.transaction((tx) => tx.runScript(script));
      assert.equal(await doubtOf(read()), false);
      assert.deepEqual(await read(), []);
      await one.close();
    });

  it('with what no array can hold surely wrote nothing, and does not spoil the batch that it is in', async () => {
    const batcher = createBatcher<unknown, string>({
      itemsMax: 10,
      flush: async (items) =>
        (await database.query<{ text: string }>('select text from unnest($1::text[]) as text', [items])).map(
          ({ text }) => text,
        ),
    });
    const [good, bad] = await Promise.allSettled([batcher.add('good'), batcher.add({ an: 'object' })]);
    assert.deepEqual(good, { status: 'fulfilled', value: 'good' });
    assert.ok(bad.status === 'rejected' && bad.reason instanceof TypeError && surelyRolledBack(bad.reason));
  });

  it('that the server does not support is an error of ours, and no trouble of the world', async () => {
    const error = await rejection(database.query('select count(*) from item for update'));
    assert.ok(error instanceof DatabaseError && error.code === '0A000', String(error));
  });
});

describe('a transaction', () => {
  it('leaves nothing behind when its work throws, and throws the same error', async () => {
    const mine = new Error('mine');
    const failing = database.transaction(async (tx) => {
      await tx.query('insert into item values (2)');
      throw mine;
    });
    assert.equal(await rejection(failing), mine);
    assert.ok(surelyRolledBack(mine));
    assert.deepEqual(await database.query('select * from item where id = 2'), []);
  });

  it('does not pass for committed when a failed statement was swallowed', async () => {
    const swallowing = database.transaction(async (tx) => {
      await tx.query('select 1 / 0').catch(() => undefined);
    });
    await assert.rejects(swallowing, /went on after one of its statements had failed/);
  });

  it('cannot be used after its end', async () => {
    const tx = await database.transaction(async (open) => open);
    await assert.rejects(tx.query('select 1'), /after its end/);
  });

  it('takes nothing more once its work has thrown: it would be carried out after the rollback, and stay', async () => {
    let late: Promise<unknown> | undefined;
    const failing = database.transaction((tx) => {
      late = tx.query('select pg_sleep(0.05)').then(() => tx.query('insert into item values (3)'));
      late.catch(() => undefined);
      return Promise.reject(new Error('of the work'));
    });
    await assert.rejects(failing, /of the work/);
    assert.ok(late !== undefined);
    await assert.rejects(late, /after its end/);
    assert.deepEqual(await database.query('select * from item where id = 3'), []);
  });

  it('ends a statement at the limit that it was given', async () => {
    const slow = database.transaction((tx) => tx.query('select pg_sleep(60)'), { statementTimeoutMs: 50 });
    assert.equal(await doubtOf(slow), false);
  });
});

describe('a database in trouble', () => {
  it('that cannot be reached is unavailable, and nothing is in doubt', async () => {
    const nowhere = openDatabase({ connection: { url: await closedUrl() }, connections: 1, onError: () => undefined });
    assert.equal(await doubtOf(nowhere.query('select 1')), false);
    assert.equal(await doubtOf(nowhere.transaction(async () => undefined)), false);
    await nowhere.close();
  });

  it('that hands out no connection in time is unavailable', async () => {
    const one = openDatabase({ connection: test.connection, connections: 1, onError: () => undefined });
    await one.transaction(async () => assert.equal(await doubtOf(one.query('select 1')), false));
    await one.close();
  });

  it('that ends a connection during a statement leaves that in doubt if it writes, and serves the next one', async () => {
    const one = openDatabase({ connection: test.connection, connections: 1, onError: () => undefined });
    for (const [statement, inDoubt] of [
      [SLOW_INSERT, true],
      ['\n  select pg_sleep(60)', false],
    ] as const) {
      const pid = await backendOf(one);
      const doubt = doubtOf(one.query(statement));
      await terminate(pid, 'PgSleep');
      assert.equal(await doubt, inDoubt);
      assert.notEqual(await backendOf(one), pid);
    }
    await one.close();
  });

  it('that ends a connection inside a transaction has surely rolled it back', async () => {
    for (const asksMore of [true, false]) {
      const broken = database.transaction<unknown>(async (tx) => {
        await tx.query('insert into item values (3)');
        const [row] = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
        await terminate(row?.pid ?? 0, 'ClientRead');
        if (asksMore) return tx.query('select 1');
        // The commit is not sent on a connection that is known to be broken: a turn after the server's last word it is.
        await until(async () => (await backends(row?.pid ?? 0)) === 0);
        return new Promise<void>((resolve) => void setImmediate(() => setImmediate(resolve)));
      });
      assert.equal(await doubtOf(broken), false);
    }
    assert.deepEqual(await database.query('select * from item where id = 3'), []);
  });

  it('that ends a connection at the commit leaves that in doubt', async () => {
    await database.query(`create function wait() returns trigger language plpgsql
      as $$ begin perform pg_sleep(60); return null; end $$`);
    await database.query('create table slow (id integer)');
    await database.query(`create constraint trigger wait after insert on slow
      deferrable initially deferred for each row execute function wait()`);
    const pid = Promise.withResolvers<number>();
    const doubt = doubtOf(
      database.transaction(async (tx) => {
        const [row] = await tx.query<{ pid: number }>('insert into slow values (1) returning pg_backend_pid() as pid');
        pid.resolve(row?.pid ?? 0);
      }),
    );
    await terminate(await pid.promise, 'PgSleep');
    assert.equal(await doubt, true);
  });

  it('that falls silent in the middle leaves in doubt only what it may have committed', async () => {
    const proxy = await openProxy(test.connection);
    const cut = openDatabase({ connection: { url: proxy.url }, connections: 2, onError: () => undefined });
    const alone = doubtOf(cut.query(SLOW_INSERT));
    const inTransaction = doubtOf(cut.transaction((tx) => tx.query(SLOW_INSERT)));
    await until(async () => (await sleepers()) === 2);
    proxy.cut();
    assert.equal(await alone, true);
    assert.equal(await inTransaction, false);
    await cut.close();
    proxy.server.close();
  });

  it('that ends a connection with the very packet that makes it ready is unavailable, and nothing is in doubt', async () => {
    const proxy = await openProxy(test.connection, { endAfter: 'set statement_timeout' });
    const ended = openDatabase({ connection: { url: proxy.url }, connections: 1, onError: () => undefined });
    assert.equal(await doubtOf(ended.query('select 1')), false);
    await ended.close();
    proxy.server.close();
  });

  it('that ends an idle connection is reported, and the process goes on', async () => {
    const reported = Promise.withResolvers<Error>();
    const one = openDatabase({ connection: test.connection, connections: 1, onError: reported.resolve });
    await terminate(await backendOf(one), 'ClientRead');
    const error = await reported.promise;
    assert.ok(error instanceof DatabaseError && error.code === '57P01', String(error));
    assert.equal((await one.query('select 1')).length, 1);
    await one.close();
  });

  it('that is closed is unavailable', async () => {
    const one = openDatabase({ connection: test.connection, connections: 1, onError: () => undefined });
    await Promise.all([one.close(), one.close()]);
    assert.equal(await doubtOf(one.query('select 1')), false);
  });
});

async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => assert.fail('It should have failed'),
    (error: unknown) => error,
  );
}

async function doubtOf(promise: Promise<unknown>): Promise<boolean> {
  const error = await rejection(promise);
  assert.ok(error instanceof StoreUnavailable, String(error));
  return error.commitInDoubt;
}

async function backendOf(one: Database): Promise<number> {
  const [row] = await one.query<{ pid: number }>('select pg_backend_pid() as pid');
  return row?.pid ?? 0;
}

/** Ends a connection as soon as it waits for what the test wants it to wait for. */
async function terminate(pid: number, waitingFor: string): Promise<void> {
  await until(async () => {
    const ended = await database.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where pid = $1 and wait_event = $2',
      [pid, waitingFor],
    );
    return ended.length === 1;
  });
}

async function backends(pid: number): Promise<number> {
  return (await database.query('select 1 from pg_stat_activity where pid = $1', [pid])).length;
}

async function sleepers(): Promise<number> {
  const rows = await database.query(
    `select 1 from pg_stat_activity
    where wait_event = 'PgSleep' and datname = current_database() and query = $1`,
    [SLOW_INSERT],
  );
  return rows.length;
}

async function closedUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = urlTo(server);
  server.close();
  await once(server, 'close');
  return url;
}

function urlTo(server: Server): string {
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return `postgresql://waypost@127.0.0.1:${address.port}/nowhere`;
}

/** Stands between the driver and the server, so that a test can cut all connections without a word from the server. */
async function openProxy(
  connection: Connection,
  { endAfter }: { endAfter?: string } = {},
): Promise<{ url: string; server: Server; cut(): void }> {
  const pairs: Socket[] = [];
  const target = new URL(test.url);
  const server = createServer((near) => {
    const far =
      'socketDir' in connection
        ? netConnect(`${connection.socketDir}/.s.PGSQL.${connection.port}`)
        : netConnect(Number(target.port || 5432), target.hostname);
    pairs.push(near, far);
    for (const socket of [near, far]) socket.on('error', () => undefined);
    near.pipe(far);
    if (endAfter === undefined) far.pipe(near);
    else endWithAnswer(near, far, endAfter);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(test.url);
  url.searchParams.delete('host');
  url.searchParams.delete('port');
  url.host = new URL(urlTo(server)).host;
  return {
    url: url.href,
    server,
    cut: () => {
      for (const socket of pairs) socket.destroy();
    },
  };
}

/** The answer to a statement brings the end of the connection in the same packet, as a server that stops may send it. */
function endWithAnswer(near: Socket, far: Socket, statement: string): void {
  let asked = false;
  near.on('data', (bytes) => {
    asked ||= bytes.includes(statement);
  });
  far.on('data', (bytes: Buffer) => {
    const isReady = bytes.at(-6) === 'Z'.charCodeAt(0);
    if (asked && isReady) near.end(Buffer.concat([bytes, administratorCommand()]));
    else near.write(bytes);
  });
  near.on('close', () => far.destroy());
}

/** https://www.postgresql.org/docs/current/protocol-error-fields.html */
function administratorCommand(): Buffer {
  const fields = ['SFATAL', 'VFATAL', 'C57P01', 'Mterminating connection due to administrator command', ''];
  const body = Buffer.from(fields.map((field) => `${field}\0`).join(''));
  const head = Buffer.from('E\0\0\0\0');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
