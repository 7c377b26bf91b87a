import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import { startDatabaseProxy } from '../../test/support/database-proxy.ts';
import { StoreUnavailable } from '../kernel/store-unavailable.ts';
import { type Database, openDatabase } from './database.ts';

const CONNECTIONS = 4;
/** A dead connection keeps its statement for 35 s. */
const QUICKLY_MS = 20_000;

it('where one connection has had no answer in time, those that are idle since before cost nobody as much again', async (t) => {
  const { proxy, database, lost } = await startWorld(t);
  await database.transaction(() => openAll(database, CONNECTIONS - 1));
  const hanging = hang(database, 'select 1', async () => proxy.silenceOpen());
  await assert.rejects(hanging, StoreUnavailable);
  const begunMs = performance.now();
  await openAll(database, CONNECTIONS);
  assert.ok(performance.now() - begunMs < QUICKLY_MS, `${performance.now() - begunMs} ms`);
  assert.equal(lost.length, CONNECTIONS - 1);
});

it('a connection that has worked while another one was silent is kept', async (t) => {
  const { proxy, database, lost } = await startWorld(t);
  const text = 'Says nothing';
  const silenced = proxy.silenceAt(text);
  await database.transaction(() => backendOf(database));
  const hanging = hang(database, `select '${text}'`);
  await silenced;
  const backend = await backendOf(database);
  await assert.rejects(hanging, StoreUnavailable);
  assert.equal(await backendOf(database), backend);
  assert.deepEqual(lost, []);
});

async function startWorld(t: TestContext) {
  const test = await createTestDatabase({ migrated: false });
  const proxy = await startDatabaseProxy(test.url);
  const lost: Error[] = [];
  const onError = (error: Error) => void lost.push(error);
  const database = openDatabase({ connection: { url: proxy.url }, connections: CONNECTIONS, onError });
  t.after(async () => {
    await database.close();
    await proxy.close();
    await test.drop();
  });
  return { proxy, database, lost };
}

/** A statement that is given up after 5 s, the time that is added to the server's own. */
function hang(database: Database, statement: string, before = async () => {}): Promise<unknown> {
  const limits = { statementTimeoutMs: 50 };
  return database.transaction(async (tx) => {
    await before();
    return tx.query(statement);
  }, limits);
}

/** Runs so many statements at once that each needs a connection of its own. */
async function openAll(database: Database, connections: number): Promise<void> {
  await Promise.all(Array.from({ length: connections }, () => database.query('select pg_sleep(0.1)')));
}

async function backendOf(database: Database): Promise<number> {
  const [row] = await database.query<{ pid: number }>('select pg_backend_pid() as pid');
  return row?.pid ?? 0;
}
