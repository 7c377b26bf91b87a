import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startReceiver } from '../endpoints/receiver.ts';
import { assertBalanced, balance, countStatuses } from '../nodes/books.ts';
import { startWorld } from '../nodes/world.ts';
import { readApi, type SentEntry } from '../support/call-gateway.ts';
import { createTestDatabase } from '../support/database.ts';
import { callApi } from '../support/gateway.ts';
import type { GatewayProcess } from '../support/process.ts';
import { until } from '../support/until.ts';
import { findOlder, unpackOlder } from './older-version.ts';

const SENDS_BETWEEN = 40;
/** Long enough that sends are under way when a node is killed. */
const LATENCY_MS = 300;
/** All events of a message that the sandbox simply accepts, and what becomes of one whose node was killed. */
const TYPES = ['message.sent', 'message.delivered', 'message.read', 'message.unknown', 'message.failed'];
const older = await findOlder();

it('gateways of an older version and of this one share a database, forwards and back, and nothing is lost or doubled', {
  skip: older === undefined && 'There is no older version here; WAYPOST_TEST_OLDER names a commit',
}, async (t) => {
  const root = await unpackOlder(t, older ?? '');
  const db = await createTestDatabase({ migrated: false });
  const world = await startWorld(t, {
    nodes: 2,
    db,
    root,
    sandbox: { WAYPOST_SANDBOX_LATENCY_MS: String(LATENCY_MS) },
  });
  const { sandbox, balancer, nodes, apiKey } = world;
  const receiver = await startReceiver();
  t.after(() => receiver.close());
  const body = { url: receiver.url, types: TYPES };
  assert.equal((await callApi(balancer.url, 'POST', '/api/v1/endpoints', { key: apiKey, body })).status, 201);
  let nodeId: string | undefined;
  const callers = world.startCallers({ callers: 4, sizes: [1, 3, 10], pauseMs: 20 });
  const sendMore = async () => {
    const from = callers.sent.length;
    await until(() => callers.sent.length >= from + SENDS_BETWEEN);
  };
  await sendMore();
  const before = await countMigrations();
  const first = await world.startNode();
  assert.ok((await countMigrations()) > before, 'the older version has made an older schema');
  assert.match(first.output(), /"migration\.applies"/, 'the start says what it does meanwhile');
  await sendMore();
  await world.startNode(root);
  await sendMore();
  const left = await until(() => underWay(first));
  await first.kill();
  balancer.remove(first.dev.base_url);
  // There are only older ones, which settle what this version has left.
  await until(async () => (await underWay(first)) === 0);
  await sendMore();
  const last = await world.startNode();
  for (const node of nodes.filter((node) => node !== first && node !== last)) {
    assert.equal(await node.stop(), 0, node.output());
    balancer.remove(node.dev.base_url);
  }
  await sendMore();
  const sent = await callers.stop();

  const taken = (await sandbox.transmits()).filter((transmit) => transmit.taken).length;
  await until(async () => (await countStatuses(db.database)).read === taken);
  const sheet = await balance(sent, sandbox, db.database);
  t.diagnostic(JSON.stringify({ older, left, ...sheet }));
  await assertBalanced(sheet, db.database);
  for (const { requestId, results } of sent) {
    const { json } = await readApi(last.dev, `/api/v1/requests/${requestId}`);
    assert.deepEqual(
      json.results.map(named),
      results.map(named),
      'whoever has stored it, it is read as it was answered',
    );
  }
  const events = await db.database.query<{ sequence: number }>('select sequence from event order by sequence');
  assert.deepEqual([events[0]?.sequence, events.at(-1)?.sequence], [1, events.length], 'events have no gap');
  await until(() => new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size === events.length);

  async function underWay({ child }: GatewayProcess): Promise<number> {
    nodeId ??= (await db.database.query<{ id: string }>('select id from node where pid = $1', [child.pid]))[0]?.id;
    const sql = 'select count(*) as count from request where node_id = $1 and completed_at is null';
    return (await db.database.query<{ count: number }>(sql, [nodeId]))[0]?.count ?? 0;
  }

  async function countMigrations(): Promise<number> {
    return (await db.database.query('select number from migration')).length;
  }
});

const named = ({ to, id }: SentEntry) => ({ to, id });
