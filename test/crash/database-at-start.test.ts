import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { createTestDatabase } from '../support/database.ts';
import { startDatabaseProxy } from '../support/database-proxy.ts';
import { beginGatewayProcess } from '../support/process.ts';
import { until } from '../support/until.ts';
import { countWaitingForLocks } from '../support/waiting-for-locks.ts';

/** A part of a statement of each step of a start, in their order. */
const STEPS = {
  migrations: 'insert into migration',
  'the master key': 'with kept as (insert into master_key_check',
  'the node': 'insert into node',
  'the demonstration': 'insert into account',
  'the recovery': 'select id, host',
  'the weeks': 'partition_statistics($1)',
};
/** Far below what it waits for the database, and what a stop may take. */
const SOON_MS = 10_000;

// They mostly wait, each for processes and a database of its own.
describe('the database at a start', { concurrency: 3 }, () => {
  it('a start goes on when the database is back, whichever of its steps it went away in', async (t) => {
    const { proxy, begin } = await startWorld(t);
    let start: ReturnType<typeof begin> | undefined;
    let waits = 0;
    for (const [step, statement] of Object.entries(STEPS)) {
      const isCut = proxy.cutAt(statement, { delivered: true });
      start ??= begin();
      if (waits > 0) proxy.restore();
      await isCut;
      waits++;
      await start.untilWaited(waits, step);
    }
    proxy.restore();
    await start?.untilSaid('gateway.ready');
    assert.equal(await start?.stop(), 0);
  });

  it('a start waits for a database that is not there yet, and says so once', async (t) => {
    const { proxy, begin } = await startWorld(t);
    proxy.cut();
    const start = begin();
    await start.untilSaid('start.waits_for_database');
    assert.match(start.output(), /The database is not available: \w/, 'it says why');
    await start.untilSaid('Waiting for the database, for ');
    proxy.restore();
    await start.untilSaid('gateway.ready');
    await start.untilWaited(1, 'once');
    assert.equal(await start.stop(), 0);
  });

  it('a start that waits for the database ends with 0 when it is told to stop', async (t) => {
    const { proxy, begin } = await startWorld(t);
    proxy.cut();
    const start = begin();
    await start.untilSaid('start.waits_for_database');
    const askedMs = performance.now();
    assert.equal(await start.stop(), 0);
    assert.ok(performance.now() - askedMs < SOON_MS);
  });

  it('a start whose database does not come in time ends with a sentence', async (t) => {
    const { proxy, begin } = await startWorld(t);
    proxy.cut();
    const start = begin({ WAYPOST_DATABASE_WAIT_MS: '500' });
    await start.untilSaid('start.waits_for_database');
    assert.equal(await start.ended, 1);
    assert.match(start.output(), /^Error: DATABASE_URL must name a database that can be used\. .*: \w/m);
  });

  it('a start waits for nothing that no waiting mends: a database, a user or a certificate that does not exist', async (t) => {
    const { db, begin } = await startWorld(t);
    const wrongs: Partial<Record<'pathname' | 'username' | 'search', string>>[] = [
      { pathname: '/nobody_made_it' },
      { username: 'nobody_made_them' },
      { search: '?sslrootcert=/nobody_made_it/either.pem' },
    ];
    for (const wrong of wrongs) {
      const start = begin({ DATABASE_URL: Object.assign(new URL(db.url), wrong).href });
      assert.equal(await start.ended, 1);
      assert.match(
        start.output(),
        /^Error: DATABASE_URL must name .*(nobody_made_.*" does not exist|no such file .*either\.pem'?)$/m,
      );
      assert.doesNotMatch(start.output(), /start\.waits_for_database/);
    }
  });

  it('a start that makes the tables says where, and the next one does not', async (t) => {
    const { db, begin } = await startWorld(t);
    const first = begin();
    await first.untilSaid('gateway.ready');
    assert.equal(await first.stop(), 0);
    const line = first.output().match(/^.*installation\.new.*$/m)?.[0] ?? '';
    const { level, database, schema, other_schemas, data_dir } = JSON.parse(line);
    const name = new URL(db.url).pathname.slice(1);
    assert.deepEqual([level, database, schema, other_schemas, data_dir], [30, name, 'public', [], undefined]);
    const second = begin();
    await second.untilSaid('gateway.ready');
    assert.equal(await second.stop(), 0);
    assert.doesNotMatch(second.output(), /installation\.new/);
  });

  it('a start for which the server has no connection left says which settings to change', async (t) => {
    const { db, begin } = await startWorld(t);
    const role = `crowded_${randomBytes(4).toString('hex')}`;
    await db.database.query(`create role ${role} login connection limit 0`);
    const DATABASE_URL = Object.assign(new URL(db.url), { username: role }).href;
    const start = begin({ DATABASE_URL, WAYPOST_DATABASE_WAIT_MS: '500' });
    const code = await start.ended;
    await db.database.query(`drop role ${role}`);
    assert.equal(code, 1);
    assert.match(
      start.output(),
      /^Error: .* no connection left\. .*max_connections.*WAYPOST_DATABASE_CONNECTIONS\)\.$/m,
    );
  });
});

for (const [step, held] of [
  ['the migrations', 'select pg_advisory_xact_lock(7221906011)'],
  ['the recovery', 'lock table request'],
] as const)
  it(`a start that waits for others in ${step} ends with 0 when it is told to stop`, async (t) => {
    const { db, begin } = await startWorld(t, { migrated: true });
    await db.database.transaction(async (tx) => {
      await tx.query('set local idle_in_transaction_session_timeout to 0');
      await tx.query(held);
      const start = begin();
      await until(async () => (await countWaitingForLocks(db.database)) > 0);
      const askedMs = performance.now();
      assert.equal(await start.stop(), 0);
      assert.ok(performance.now() - askedMs < SOON_MS);
    });
  });

/** A database that can be cut off, and starts of gateways on it. Ends with the test. */
async function startWorld(t: TestContext, options = { migrated: false }) {
  const dataDir = await mkdtemp(join(tmpdir(), 'waypost-start-'));
  const db = await createTestDatabase(options);
  const proxy = await startDatabaseProxy(db.url);
  t.after(async () => {
    await proxy.close();
    await db.drop();
    await rm(dataDir, { recursive: true, force: true });
  });
  return { db, proxy, begin: (env = {}) => beginStart(t, dataDir, { DATABASE_URL: proxy.url, ...env }) };
}

/** A start that is not waited for. */
function beginStart(t: TestContext, dataDir: string, env: Record<string, string>) {
  const { child, output } = beginGatewayProcess(dataDir, env);
  const closed = once(child, 'close');
  const ended = closed.then(() => child.exitCode);
  t.after(async () => {
    child.kill('SIGKILL');
    await closed;
  });
  return {
    ended,
    output,
    async untilSaid(word: string) {
      await until(() => output().includes(word) || child.exitCode !== null);
      assert.ok(output().includes(word), output());
    },
    /** Until it has said so often that it waits for the database. */
    async untilWaited(times: number, step: string) {
      const waited = () => output().match(/start\.waits_for_database/g)?.length === times;
      await until(() => waited() || child.exitCode !== null);
      assert.ok(waited(), `${step}: ${output()}`);
    },
    stop() {
      child.kill('SIGTERM');
      return ended;
    },
  };
}
