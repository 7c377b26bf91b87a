import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { startReceiver } from '../endpoints/receiver.ts';
import { sendText } from '../support/call-gateway.ts';
import { callApi } from '../support/gateway.ts';
import type { GatewayProcess } from '../support/process.ts';
import { until } from '../support/until.ts';
import { assertBalanced, balance, countStatuses } from './books.ts';
import { startWorld, type World } from './world.ts';

const REQUESTS = 80;
/** The provider does not answer a message to this number for a minute. So it is under way when its node is killed. */
const UNANSWERED = '+15552000003';

it('three nodes share notifications and deliveries, and each event is delivered once, by one of them', async (t) => {
  const world = await startWorld(t, { nodes: 3 });
  const { db, sandbox, nodes } = world;
  const inHand = { now: new Map<string, number>(), most: 0 };
  const receiver = await startReceiver((response, _, { headers }) => {
    const id = String(headers['webhook-id']);
    inHand.now.set(id, (inHand.now.get(id) ?? 0) + 1);
    inHand.most = Math.max(inHand.most, inHand.now.get(id) ?? 0);
    setTimeout(() => {
      inHand.now.set(id, (inHand.now.get(id) ?? 0) - 1);
      response.writeHead(204).end();
    }, 5);
  });
  t.after(() => receiver.close());
  await addEndpoint(world, receiver.url);

  const callers = world.startCallers({ callers: 6, sizes: [1, 5, 10] });
  await until(() => callers.sent.length >= REQUESTS, 60_000);
  const sent = await callers.stop();
  const recipients = sent.flatMap(({ to }) => to).length;
  await until(async () => (await countStatuses(db.database)).read === recipients, 60_000);
  // A status that came late changes nothing and is no event, so a message may have fewer than three.
  const events = await db.database.query<{ sequence: number }>('select sequence from event order by sequence');
  const all = events.length;
  await until(() => receiver.received.length >= all, 60_000);

  const sheet = await balance(sent, sandbox, db.database);
  const shares = await Promise.all(nodes.map((node) => sharesOf(node)));
  const ids = new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
  t.diagnostic(JSON.stringify({ ...sheet, events: all, delivered: receiver.received.length, shares }));
  await assertBalanced(sheet, db.database);
  assert.deepEqual([ids.size, receiver.received.length], [all, all], 'each event arrives once');
  assert.equal(inHand.most, 1, 'and never in the hands of two nodes at once');
  const sequences = receiver.received.map(({ body }) => Number(JSON.parse(body).sequence)).sort((a, b) => a - b);
  assert.deepEqual(
    sequences,
    events.map(({ sequence }) => sequence),
  );
  for (const name of ['received', 'processed', 'delivered'] as const) {
    assert.ok(
      shares.every((share) => share[name] > 0),
      `every node has a share of what is ${name}`,
    );
  }
  assert.equal(
    shares.reduce((sum, { delivered }) => sum + delivered, 0),
    all,
  );
  await assertSettledOnce(t, world);
});

/** What a killed node has left must be settled once, however many other nodes look. */
async function assertSettledOnce(t: TestContext, { nodes, db }: World): Promise<void> {
  const [killed, ...others] = nodes;
  assert.ok(killed !== undefined);
  const lost = [1, 2, 3].map((place) => assert.rejects(sendText(killed.dev, [UNANSWERED], { key: `left-${place}` })));
  await until(async () => {
    const running = await db.database.query('select 1 from request where completed_at is null');
    return running.length === 3;
  });
  await killed.kill();
  await Promise.all(lost);
  const recovered = () =>
    others
      .flatMap((node) => [...node.output().matchAll(/"requests":(\d+),"deliveries":\d+,"msg":"node\.recovered"/g)])
      .map(([, requests]) => Number(requests))
      .filter((requests) => requests > 0);
  await until(async () => {
    const running = await db.database.query('select 1 from request where completed_at is null');
    return running.length === 0 && recovered().length > 0;
  });
  t.diagnostic(`recovered: ${recovered()}`);
  assert.deepEqual(recovered(), [3]);
}

async function addEndpoint({ balancer, apiKey }: World, url: string): Promise<void> {
  const types = ['message.sent', 'message.delivered', 'message.read'];
  const answer = await callApi(balancer.url, 'POST', '/api/v1/endpoints', { key: apiKey, body: { url, types } });
  assert.equal(answer.status, 201, answer.text);
}

/** How much of the work a node has done, by its own metrics. */
async function sharesOf(node: GatewayProcess) {
  const internalUrl = /"internal_url":"([^"]+)"/.exec(node.output())?.[1];
  const text = await (await fetch(`${internalUrl}/metrics`)).text();
  const sum = (metric: string) =>
    [...text.matchAll(new RegExp(`^${metric}(?:\\{[^}]*\\})? (\\d+)`, 'gm'))].reduce(
      (all, [, n]) => all + Number(n),
      0,
    );
  return {
    received: sum('waypost_notifications_received_total'),
    processed: sum('waypost_notifications_processed_total'),
    delivered: sum('waypost_delivery_attempts_total'),
    recorded: sum('waypost_events_recorded_total'),
  };
}
