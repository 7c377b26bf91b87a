import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { pino } from 'pino';
import { tellDatabase } from '../../src/database-url.ts';
import { openDatabase } from '../../src/store/database.ts';
import { migrate } from '../../src/store/migrate.ts';
import { waitAtStart } from '../../src/wait-at-start.ts';
import { callApi } from '../support/call-api.ts';
import { createTestDatabase } from '../support/database.ts';
import { startDatabaseProxy } from '../support/database-proxy.ts';
import { freePort } from '../support/free-port.ts';
import { beginGatewayProcess } from '../support/process.ts';
import { restingTransaction } from '../support/resting-transaction.ts';
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
/** Below what it waits for the database, and what a stop may take. */
const SOON_MS = 20_000;

// They mostly wait, each for processes and a database of its own.
describe('the database at a start', { concurrency: 3 }, () => {
  it('a start says why it waits for a database, and goes on when that is there, whichever of its steps it went away in', async (t) => {
    const { proxy, begin } = await startWorld(t);
    proxy.cut();
    const start = begin();
    await start.untilSaid('start.waits_for_database');
    assert.match(start.output(), /The database is not available: \w/, 'it says why');
    await start.untilSaid('Waiting for the database, for ');
    let waits = 1;
    await start.untilWaited(waits, 'a database that is not there yet');
    for (const [step, statement] of Object.entries(STEPS)) {
      const isCut = proxy.cutAt(statement, { delivered: true });
      proxy.restore();
      await isCut;
      // The migrations are the step that has waited already.
      if (step !== 'migrations') waits++;
      await start.untilWaited(waits, step);
    }
    proxy.restore();
    await start.untilSaid('gateway.ready');
    await start.untilWaited(waits, 'it says so once for each step');
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

  it('a start whose database does not come in time ends with a sentence, which does not tell its password', async (t) => {
    const { begin } = await startWorld(t);
    const DATABASE_URL = 'postgresql://user:hidden-word@127.0.0.1:1/waypost';
    const start = begin({ DATABASE_URL, WAYPOST_DATABASE_WAIT_MS: '500' });
    await start.untilSaid('start.waits_for_database');
    assert.equal(await start.ended, 1);
    assert.match(start.output(), /^Error: DATABASE_URL must name a database that can be used\. .*: .*ECONNREFUSED.*$/m);
    assert.doesNotMatch(start.output(), /hidden-word|^ {4}at /m);
  });

  it('a start waits for nothing that no waiting mends: a database, a user or a certificate that does not exist', async (t) => {
    const { db, begin } = await startWorld(t);
    const urlWith = (wrong: Partial<URL>) => Object.assign(new URL(db.url), wrong).href;
    const sentence = /^Error: DATABASE_URL must name .*(nobody_made_.*" does not exist|no such file .*either\.pem'?)$/m;
    const start = begin({ DATABASE_URL: urlWith({ pathname: '/nobody_made_it' }) });
    assert.equal(await start.ended, 1);
    assert.match(start.output(), sentence);
    assert.doesNotMatch(start.output(), /start\.waits_for_database/);
    for (const wrong of [{ username: 'nobody_made_them' }, { search: '?sslrootcert=/nobody_made_it/either.pem' }]) {
      const { told, waits } = await migrateAtStart(urlWith(wrong), SOON_MS);
      assert.match(told, sentence);
      assert.equal(waits, 0);
    }
  });

  it('a start for which the server has no connection left says which settings to change', async (t) => {
    const { db } = await startWorld(t);
    const role = `crowded_${randomBytes(4).toString('hex')}`;
    await db.database.query(`create role ${role} login connection limit 0`);
    const { told, waits } = await migrateAtStart(Object.assign(new URL(db.url), { username: role }).href, 500);
    await db.database.query(`drop role ${role}`);
    assert.match(told, /^Error: .* no connection left\. .*max_connections.*WAYPOST_DATABASE_CONNECTIONS\)\.$/m);
    assert.equal(waits, 1);
  });
});

describe('a start that waits for others', () => {
  it('in the migrations ends with 0 when it is told to stop', async (t) => {
    const world = await startWorld(t, { migrated: true });
    await beginBehind(world, 'select pg_advisory_xact_lock(7221906011)', {}, stopsSoon);
  });

  it('before it makes the demonstration account tells so, with the whole address of the page that explains it', async (t) => {
    const world = await startWorld(t, { migrated: true });
    const port = await freePort();
    const env = { PORT: String(port), WAYPOST_METRICS_PORT: 'off' };
    await beginBehind(world, 'lock table account in access exclusive mode', env, async (start) => {
      const url = `http://127.0.0.1:${port}`;
      const { status, json } = await callApi(url, 'GET', '/api/v1/account', {});
      assert.deepEqual([status, json.detail], [503, 'The service is starting.']);
      assert.equal(json.type, `${url}/docs/errors/unavailable`);
      await stopsSoon(start);
    });
  });

  it('in the recovery tells so on both listeners, has written dev.json, and ends with 0 when it is told to stop', async (t) => {
    const world = await startWorld(t, { migrated: true });
    const [port, metricsPort] = [await freePort(), await freePort()];
    const env = { PORT: String(port), WAYPOST_METRICS_PORT: String(metricsPort) };
    await beginBehind(world, 'lock table request in access exclusive mode', env, async (start) => {
      for (const at of [port, metricsPort]) {
        const told = await callApi(`http://127.0.0.1:${at}`, 'GET', '/readyz', {});
        assert.deepEqual([told.status, told.json.reason], [503, 'starting']);
      }
      const { text } = await callApi(`http://127.0.0.1:${metricsPort}`, 'GET', '/metrics', {});
      assert.match(text, /^waypost_accepting 0$/m);
      assert.ok(existsSync(join(world.dataDir, 'dev.json')), 'whoever waits until it is ready finds the file');
      assert.doesNotMatch(start.output(), /installation\.new/, 'the tables were there already');
      await stopsSoon(start);
    });
  });
});

type World = Awaited<ReturnType<typeof startWorld>>;
type Start = ReturnType<typeof beginStart>;

/** Begins a start while a transaction holds what the statement takes, and goes on when it waits for that. */
async function beginBehind(
  { db, begin }: World,
  held: string,
  env: Record<string, string>,
  then: (start: Start) => Promise<void>,
): Promise<void> {
  await restingTransaction(db.database, async (tx) => {
    await tx.query(held);
    const start = begin(env);
    await until(async () => (await countWaitingForLocks(db.database)) > 0);
    await then(start);
  });
}

async function stopsSoon(start: Start): Promise<void> {
  const askedMs = performance.now();
  assert.equal(await start.stop(), 0);
  assert.ok(performance.now() - askedMs < SOON_MS);
}

/** Does in this process what a start does first with its database. Returns the error that it tells, and how often it has waited. */
async function migrateAtStart(url: string, limitMs: number): Promise<{ told: string; waits: number }> {
  const lines: string[] = [];
  const log = pino({}, { write: (line) => void lines.push(line) });
  const database = openDatabase({ connection: { url }, connections: 1, onError: () => undefined });
  const runStep = waitAtStart({ log, limitMs, stopping: new AbortController().signal });
  const told = await runStep(() => migrate(database))
    .then(() => assert.fail('It has migrated'))
    .catch((error: unknown) => tellDatabase(error, url))
    .catch(String);
  await database.close();
  return { told, waits: lines.filter((line) => line.includes('start.waits_for_database')).length };
}

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
  // Nothing is sent, so no sandbox is started.
  const settings = { DATABASE_URL: proxy.url, WAYPOST_SANDBOX: 'off' };
  return { db, proxy, dataDir, begin: (env = {}) => beginStart(t, dataDir, { ...settings, ...env }) };
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
