import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { assertBalanced, balance, countStatuses } from '../nodes/books.ts';
import { startWorld } from '../nodes/world.ts';
import { readApi, sendText } from '../support/call-gateway.ts';
import { until } from '../support/until.ts';
import { startPair } from './pair.ts';
import { missingTools } from './postgres-tools.ts';

const SANDBOX = { WAYPOST_SANDBOX_STATUSES: 'off' };
/** Far below the deadline of a send. */
const REFUSED_WITHIN_MS = 10_000;
/** The probe of a balancer gives up after a while, so it must have its answer before that. */
const PROBE_WITHIN_MS = 2_500;
/** Longer than any statement of ours may take, so that everything that waits for the standby has been given up by then. */
const OUTAGE_MS = 50_000;

it('while the synchronous standby is away nothing is acknowledged or sent, and all goes on when it is back', {
  skip: missingTools(),
}, async (t) => {
  const { servers, db } = await startPair(t);
  const world = await startWorld(t, { nodes: 1, db, sandbox: SANDBOX });
  const { sandbox, nodes } = world;
  const [node] = nodes;
  assert.ok(node !== undefined);
  assert.equal((await sendText(node.dev, ['+15553900000001'])).json.accepted_count, 1);
  await servers.stop('standby');
  const begunMs = Date.now();
  const refused = await sendText(node.dev, ['+15553900000002'], { key: 'waits' });
  const refusedMs = Date.now() - begunMs;
  assert.equal(refused.status, 503, refused.text);
  assert.ok(refusedMs < REFUSED_WITHIN_MS, `${refusedMs} ms`);
  const probedMs = Date.now();
  assert.equal((await readApi(node.dev, '/readyz')).status, 503);
  assert.ok(Date.now() - probedMs < PROBE_WITHIN_MS, 'a probe is answered');
  await wait(Math.max(0, begunMs + OUTAGE_MS - Date.now()));
  await servers.start('standby');
  const backMs = Date.now();
  const sent = await until(async () => {
    const answer = await sendText(node.dev, ['+15553900000002'], { key: 'waits' });
    return answer.status === 200 ? answer : undefined;
  }, 60_000);
  t.diagnostic(JSON.stringify({ refused_ms: refusedMs, back_ms: Date.now() - backMs }));
  assert.equal(sent.json.accepted_count, 1);
  assert.equal((await sandbox.transmits()).length, 2, 'what was refused was not sent');
  await until(async () => (await readApi(node.dev, '/readyz')).status === 200);
  await until(async () => (await countStatuses(db.database)).accepted === 2);
  const [running] = await db.database.query<{ count: number }>(
    'select count(*) as count from request where completed_at is null',
  );
  assert.equal(running?.count, 0, 'nothing is left of what was refused');
});

it('an address that leads to a server that only reads is unavailable, until that server is promoted', {
  skip: missingTools(),
}, async (t) => {
  const { servers, address, db } = await startPair(t);
  const world = await startWorld(t, { nodes: 1, db, sandbox: SANDBOX });
  const { sandbox, nodes } = world;
  const [node] = nodes;
  assert.ok(node !== undefined);
  assert.equal((await sendText(node.dev, ['+15553900000001'])).json.accepted_count, 1);
  address.moveTo(servers.socketOf('standby'));
  await until(async () => (await readApi(node.dev, '/readyz')).status === 503);
  assert.equal((await sendText(node.dev, ['+15553900000002'], { key: 'later' })).json.code, 'unavailable');
  assert.equal((await readApi(node.dev, '/api/v1/messages')).json.data.length, 1, 'what is there can be read');
  await servers.killHard('primary');
  await servers.promote('standby');
  const promotedMs = Date.now();
  const callers = world.startCallers({ callers: 2, sizes: [2] });
  await until(() => callers.sent.length >= 4, 60_000);
  const backMs = Math.min(...callers.sent.map(({ endedMs }) => endedMs)) - promotedMs;
  const sheet = await balance(await callers.stop(), sandbox, db.database);
  t.diagnostic(JSON.stringify({ ...sheet, back_ms: backMs }));
  await assertBalanced(sheet, db.database);
});
