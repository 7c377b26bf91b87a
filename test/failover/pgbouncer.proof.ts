import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { openDatabase } from '../../src/store/database.ts';
import { startReceiver } from '../endpoints/receiver.ts';
import { assertBalanced, balance, countStatuses } from '../nodes/books.ts';
import { startWorld } from '../nodes/world.ts';
import { readApi } from '../support/call-gateway.ts';
import { callApi } from '../support/gateway.ts';
import { beginGatewayProcess } from '../support/process.ts';
import { roleSettings } from '../support/role-settings.ts';
import { until } from '../support/until.ts';
import { missingPgbouncer, startPgbouncer } from './pgbouncer.ts';
import { missingTools, startPostgresTools } from './postgres-tools.ts';

const REQUESTS = 60;
/** In transaction mode there are fewer connections to the server than the gateways have, so transactions of both share these. */
const POOLS = [
  { pool_mode: 'transaction', default_pool_size: '5', max_prepared_statements: '500' },
  { pool_mode: 'session', default_pool_size: '40' },
] as const;

for (const pool of POOLS)
  it(
    `gateways migrate, send, hear, record and deliver through pgbouncer in ${pool.pool_mode} mode`,
    {
      skip: missingTools() || (await missingPgbouncer(pool.pool_mode)),
    },
    (t) => goThrough(t, pool),
  );

it('a start behind a pooler in transaction mode that keeps no prepared statements ends with a sentence, before it takes work', {
  skip: missingTools() || (await missingPgbouncer('session')),
}, async (t) => {
  const servers = await startPostgresTools(t);
  await servers.init('primary');
  await servers.start('primary');
  await servers.createDatabase('primary', 'waypost');
  const forgets = (await missingPgbouncer('transaction')) === false ? { max_prepared_statements: '0' } : {};
  const { url } = await startPgbouncer(t, servers.dir, { pool_mode: 'transaction', ...forgets });
  const dataDir = await mkdtemp(join(tmpdir(), 'waypost-pooled-'));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const { child, output } = beginGatewayProcess(dataDir, { DATABASE_URL: url });
  t.after(() => child.kill('SIGKILL'));
  await once(child, 'close');
  assert.equal(child.exitCode, 1);
  assert.match(output(), /^Error: A pooler lends one connection of the database to several of ours/m);
  assert.doesNotMatch(output(), /gateway\.ready/);
});

async function goThrough(t: TestContext, pool: (typeof POOLS)[number]) {
  const servers = await startPostgresTools(t);
  await servers.init('primary');
  await servers.start('primary');
  await servers.createDatabase('primary', 'waypost');
  const direct = openDatabase({
    connection: { url: `postgresql://waypost@localhost/waypost?host=${encodeURIComponent(servers.dir)}&port=5432` },
    ...{ connections: 2, onError: () => undefined },
  });
  for (const { name, value } of roleSettings()) await direct.query(`alter role waypost set ${name} = ${value}`);
  const { url } = await startPgbouncer(t, servers.dir, pool);
  const connection = { url };
  const database = openDatabase({ connection, connections: 4, onError: () => undefined });
  const drop = async () => {
    await database.close();
    await direct.close();
  };
  const world = await startWorld(t, { nodes: 2, db: { database, connection, url, drop } });
  const { sandbox, nodes, balancer, apiKey } = world;
  const receiver = await startReceiver();
  t.after(() => receiver.close());
  const body = { url: receiver.url, types: ['message.read'] };
  assert.equal((await callApi(balancer.url, 'POST', '/api/v1/endpoints', { key: apiKey, body })).status, 201);

  const callers = world.startCallers({ callers: 8, sizes: [1, 5, 10] });
  await until(() => callers.sent.length >= REQUESTS, 60_000);
  const sent = await callers.stop();
  const recipients = sent.flatMap(({ to }) => to).length;
  await until(async () => (await countStatuses(database)).read === recipients, 60_000);
  const sheet = await balance(sent, sandbox, database);
  await assertBalanced(sheet, database);
  const reads = await database.query<{ count: number }>(
    `select count(*) as count from event where type = 'message.read'`,
  );
  await until(() => receiver.received.length === reads[0]?.count);
  const lent = await direct.query<{ count: number }>(
    `select count(*) as count from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`,
  );
  t.diagnostic(JSON.stringify({ ...sheet, delivered: receiver.received.length, server_connections: lent[0]?.count }));
  const [settings] = await database.query<{ seqscan: string; plans: string; zone: string }>(
    `select current_setting('enable_seqscan') as seqscan, current_setting('plan_cache_mode') as plans, current_setting('timezone') as zone`,
  );
  assert.deepEqual(settings, { seqscan: 'off', plans: 'force_generic_plan', zone: 'UTC' });
  const [first] = nodes;
  assert.ok(first !== undefined);
  const page = await readApi(first.dev, '/api/v1/events?limit=100');
  assert.equal(page.json.data[0].sequence, 1);
  for (const node of nodes) assert.equal(await node.stop(), 0);
}
