import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { Database } from '../../src/store/database.ts';
import { readApi, sendText } from '../support/call-gateway.ts';
import type { SandboxProcess } from '../support/sandbox-process.ts';
import { until } from '../support/until.ts';
import { assertBalanced, balance } from './books.ts';
import { startWorld } from './world.ts';

/** Long enough that sends of every node are under way when one of them is paused. */
const LATENCY_MS = 300;
/** What the gateways promise. */
const SETTLED_WITHIN_MS = 30_000;
/** Longer than a node's lease of 15 s. */
const PAUSE_MIN_MS = 18_000;
/** A caller whose node does not answer comes again, and gets another node. */
const CALL_TIMEOUT_MS = 5_000;
const PAUSES_MAX = 40;
/**
 * The sandbox refuses a message to this number twice with "too fast", and then takes it. A node that wakes up between its tries must not go
 * on with them.
 */
const REFUSED_TWICE = '+15552000005';

it('a node that is paused under load beyond its lease and wakes up again has sent nothing twice, and goes on', async (t) => {
  const world = await startWorld(t, {
    nodes: 3,
    sandbox: { WAYPOST_SANDBOX_LATENCY_MS: String(LATENCY_MS) },
    gateway: { WAYPOST_SEND_DEADLINE_MS: '60000' },
  });
  const { db, sandbox, nodes } = world;
  const [paused, other] = nodes;
  assert.ok(paused !== undefined && other !== undefined);
  const [node] = await db.database.query<{ id: string }>('select id from node where pid = $1', [paused.child.pid]);
  const running = async () => {
    const sql = 'select count(*) as count from request where node_id = $1 and completed_at is null';
    return (await db.database.query<{ count: number }>(sql, [node?.id]))[0]?.count ?? 0;
  };
  const callers = world.startCallers({ callers: 9, sizes: [1, 3], pauseMs: 20, callTimeoutMs: CALL_TIMEOUT_MS });
  await until(() => callers.sent.length >= 20, 60_000);
  const retried = sendText(paused.dev, [REFUSED_TWICE], { key: 'retried' });
  await until(async () => (await triesTo(sandbox, REFUSED_TWICE)) === 1);
  await until(async () => (await running()) >= 3);

  const inTransaction = await pauseInTransaction(paused.child, db.database);
  const pausedMs = Date.now();
  const left = await running();
  const tries = await triesTo(sandbox, REFUSED_TWICE);
  await until(async () => (await running()) === 0, 2 * SETTLED_WITHIN_MS);
  const settledMs = Date.now() - pausedMs;
  await wait(Math.max(0, PAUSE_MIN_MS - settledMs));
  paused.child.kill('SIGCONT');
  const pauseMs = Date.now() - pausedMs;
  await retried;
  await until(async () => (await readApi(paused.dev, '/readyz')).status === 200);
  assert.equal((await sendText(paused.dev, ['+15553990000001'])).json.accepted_count, 1, 'the woken node works');
  const sent = await callers.stop();

  const statuses = await untilFinal(db.database, sandbox);
  const sheet = await balance(sent, sandbox, db.database);
  t.diagnostic(
    JSON.stringify({
      ...sheet,
      left,
      in_transaction: inTransaction,
      settled_ms: settledMs,
      paused_ms: pauseMs,
      statuses,
    }),
  );
  await assertBalanced(sheet, db.database);
  assert.ok(left > 0 && settledMs < SETTLED_WITHIN_MS, `its ${left} requests are settled by the others in time`);
  assert.equal(await triesTo(sandbox, REFUSED_TWICE), tries, 'what was settled meanwhile is not tried again');
});

/**
 * Pauses the process at the worst moment: while its transaction holds locks that others wait for. False if none of many tries met that
 * moment.
 */
async function pauseInTransaction(child: ChildProcess, db: Database): Promise<boolean> {
  for (let tries = 0; ; tries += 1) {
    child.kill('SIGSTOP');
    await wait(150);
    const held = await db.query(
      `select 1 from pg_stat_activity where datname = current_database() and state = 'idle in transaction'
         and state_change < clock_timestamp() - interval '100 ms'`,
    );
    if (held.length > 0 || tries === PAUSES_MAX) return held.length > 0;
    child.kill('SIGCONT');
    await wait(20);
  }
}

async function triesTo({ transmits }: SandboxProcess, to: string): Promise<number> {
  return (await transmits()).filter((transmit) => transmit.to === to).length;
}

/** Waits until every message has the status that the provider knows: a message that it took is read, and any other one is not. */
async function untilFinal(db: Database, sandbox: SandboxProcess) {
  const taken = new Set((await sandbox.transmits()).flatMap(({ taken, id }) => (taken ? [id] : [])));
  return until(async () => {
    const rows = await db.query<{ provider_message_id: string | null; status: string }>(
      `select provider_message_id, status from message where direction = 'outbound'`,
    );
    const read = rows.filter(({ status }) => status === 'read');
    const rest = Object.fromEntries(
      Map.groupBy(rows, ({ status }) => status)
        .entries()
        .map(([status, all]) => [status, all.length]),
    );
    return read.length === taken.size && read.every((row) => taken.has(row.provider_message_id)) ? rest : undefined;
  }, 60_000);
}
