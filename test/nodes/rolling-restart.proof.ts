import assert from 'node:assert/strict';
import { it } from 'node:test';
import { until } from '../support/until.ts';
import { assertBalanced, balance } from './books.ts';
import { startWorld } from './world.ts';

/** Long enough that sends are under way at every signal. */
const LATENCY_MS = 300;
/** As the guide has it: more than the balancer needs to notice that a node leaves. */
const NOTICE_MS = '3000';
const SENDS_BETWEEN = 40;

it('nodes are replaced one after another under load without a failed, doubled or lost send', async (t) => {
  const world = await startWorld(t, {
    nodes: 3,
    sandbox: { WAYPOST_SANDBOX_LATENCY_MS: String(LATENCY_MS), WAYPOST_SANDBOX_STATUSES: 'off' },
    gateway: { WAYPOST_STOP_NOTICE_MS: NOTICE_MS },
  });
  const { db, sandbox, balancer, nodes } = world;
  const callers = world.startCallers({ callers: 8, sizes: [1, 3, 1, 10] });
  const sendMore = async () => {
    const from = callers.sent.length;
    await until(() => callers.sent.length >= from + SENDS_BETWEEN, 60_000);
  };
  await sendMore();
  for (const old of nodes.slice(0, 3)) {
    await world.startNode();
    assert.equal(await old.stop(), 0, 'everything under way was finished');
    balancer.remove(old.dev.base_url);
    await sendMore();
  }
  const sheet = await balance(await callers.stop(), sandbox, db.database);
  t.diagnostic(JSON.stringify({ ...sheet, refused: balancer.counts.refused, broken: balancer.counts.broken }));
  await assertBalanced(sheet, db.database);
  assert.equal(sheet.accepted, sheet.sent, 'every recipient is accepted');
  assert.equal(sheet.taken, sheet.accepted);
  assert.deepEqual(sheet.repeated, {}, 'every send is answered at its first call');
  assert.equal(balancer.counts.broken, 0, 'no connection broke under a call');
});

it('nodes that give no notice cost their callers a repetition at the most', async (t) => {
  const world = await startWorld(t, {
    nodes: 3,
    sandbox: { WAYPOST_SANDBOX_LATENCY_MS: String(LATENCY_MS), WAYPOST_SANDBOX_STATUSES: 'off' },
  });
  const { db, sandbox, balancer, nodes } = world;
  const callers = world.startCallers({ callers: 8, sizes: [1, 5] });
  await until(() => callers.sent.length >= SENDS_BETWEEN, 60_000);
  for (const old of nodes.slice(0, 2)) {
    assert.equal(await old.stop(), 0);
    balancer.remove(old.dev.base_url);
  }
  const from = callers.sent.length;
  await until(() => callers.sent.length >= from + SENDS_BETWEEN, 60_000);
  const sheet = await balance(await callers.stop(), sandbox, db.database);
  t.diagnostic(JSON.stringify({ ...sheet, refused: balancer.counts.refused, broken: balancer.counts.broken }));
  await assertBalanced(sheet, db.database);
  assert.deepEqual([sheet.accepted, sheet.taken], [sheet.sent, sheet.sent]);
});
