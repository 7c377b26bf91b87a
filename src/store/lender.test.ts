import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { it } from 'node:test';
import { Pool } from 'pg';
import { createTestDatabase } from '../../test/support/database.ts';
import { until } from '../../test/support/until.ts';
import { StoreUnavailable } from '../kernel/store-unavailable.ts';
import { openDatabase } from './database.ts';
import { createLender } from './lender.ts';

const GIVEN = 2;
const CALLERS = 30;

it('where the server gives fewer connections than wished, callers wait for those that are open', async (t) => {
  const { url, drop } = await makeFew();
  const database = openDatabase({ connection: { url }, connections: 10, onError: () => undefined });
  t.after(() => database.close().then(drop));
  await database.query('select 1');
  const work = () => database.transaction((tx) => tx.query('select pg_sleep(0.02)'));
  for (let round = 0; round < 3; round += 1) {
    const done = await Promise.allSettled(Array.from({ length: CALLERS }, work));
    assert.deepEqual(new Set(done.map(({ status }) => status)), new Set(['fulfilled']), `round ${round}`);
  }
  const { total, waiting } = database.connections();
  assert.deepEqual([total, waiting], [GIVEN, 0]);

  // Whoever holds them all for longer than a caller waits is still no reason to wait for ever.
  const holding = Array.from({ length: GIVEN }, () => database.transaction((tx) => tx.query('select pg_sleep(5)')));
  await assert.rejects(work(), StoreUnavailable);
  await Promise.all(holding);
  await work();
});

it('a caller whose time is over when the server has given no connection is refused, without a warning of Node', async (t) => {
  const warnings: string[] = [];
  const note = ({ name }: Error) => void warnings.push(name);
  process.on('warning', note);
  const { url, drop } = await makeFew();
  const pool = new Pool({ connectionString: url, max: GIVEN + 1 });
  t.after(async () => {
    process.off('warning', note);
    await pool.end();
    await drop();
  });
  const lender = createLender(pool, GIVEN + 1, 0);
  const lent = await Promise.all(Array.from({ length: GIVEN }, () => lender.lend()));
  await assert.rejects(lender.lend(), /too many connections/);
  // Warnings are told after what is under way.
  await new Promise(setImmediate);
  for (const client of lent) client.release();
  assert.deepEqual(warnings, []);
});

it('a caller is told at once that the server is away, where none is open that could be waited for', async () => {
  const LONG_MS = 60_000;
  const pool = new Pool({ host: '127.0.0.1', port: 9, max: 1 });
  const begunMs = performance.now();
  await assert.rejects(createLender(pool, 1, LONG_MS).lend(), { code: 'ECONNREFUSED' });
  assert.ok(performance.now() - begunMs < LONG_MS / 2);
  await pool.end();
});

it('a caller is told that all connections are in use, and not that none could be made', async (t) => {
  const { url, drop } = await createTestDatabase({ migrated: false });
  const database = openDatabase({ connection: { url }, connections: 1, onError: () => undefined });
  t.after(() => database.close().then(drop));
  const holding = database.transaction((tx) => tx.query('select pg_sleep(4)'));
  await assert.rejects(database.query('select 1'), /: None of the 1 connections has become free within 3000 ms$/);
  await holding;
});

/** A database whose server gives `GIVEN` connections. */
async function makeFew(): Promise<{ url: string; drop(): Promise<void> }> {
  const test = await createTestDatabase({ migrated: false });
  const role = `few_${randomBytes(4).toString('hex')}`;
  await test.database.query(`create role ${role} login password '${role}' connection limit ${GIVEN}`);
  const url = new URL(test.url);
  url.username = role;
  url.password = role;
  const drop = async () => {
    // A pool does not wait for its connections to be gone, and nobody listens to what the server says to one that is dropped with it.
    const connected = () => test.database.query('select 1 from pg_stat_activity where usename = $1', [role]);
    await until(async () => (await connected()).length === 0);
    await test.database.query(`drop role ${role}`);
    await test.drop();
  };
  return { url: url.href, drop };
}
