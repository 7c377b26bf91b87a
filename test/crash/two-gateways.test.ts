import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { listMessages, phoneNumbers, readApi, type SentEntry, sendText } from '../support/call-gateway.ts';
import { startCrashWorld } from '../support/crash-world.ts';
import { PATIENT } from '../support/patient.ts';
import type { GatewayProcess } from '../support/process.ts';
import type { SandboxBeside } from '../support/sandbox-beside.ts';
import { until } from '../support/until.ts';

/** What the gateways promise. */
const SETTLED_WITHIN_MS = 30_000;
/** A lease and a little more: after this long without a sign of life a node's lease is over. */
const LEASE_OVER_MS = 17_000;
/** After this every node has looked for gone nodes at least once. Nothing else shows that. */
const SWEEPS_OVER_MS = 6_000;
/** Longer than anything here takes, so that the provider does not answer before a kill or a pause. */
const ENDLESS_LATENCY_MS = 9_000;
const KILLED_MESSAGES = 5;

// They mostly wait, each for processes and a database of its own.
describe('two gateways on one database', { concurrency: 2 }, () => {
  it('what killed gateways have left is settled by another one', { concurrency: true }, async (t) => {
    const world = await startCrashWorld(t, ENDLESS_LATENCY_MS);
    const { db, sandbox } = world;
    const second = await world.startGateway();
    // One after another, because they write the same dev.json.
    const [near, far, forgotten] = [await world.startGateway(), await world.startGateway(), await world.startGateway()];
    await Promise.all([
      t.test('on the same machine however long its lease is', async (kind) => {
        const { ids } = await killWhileSending(near, sandbox, 1);
        await db.database.query(`update node set lease_until = now() + interval '4 minutes' where pid = $1`, [
          near.child.pid,
        ]);
        const settledMs = await untilSettled(second, ids, 'unknown');
        kind.diagnostic(`settled after ${settledMs} ms`);
        assert.ok(settledMs < SETTLED_WITHIN_MS);
      }),
      t.test('on another machine when its lease is over, within 30 s', async (kind) => {
        await db.database.query('update node set host = $1 where pid = $2', ['another machine', far.child.pid]);
        const { ids, repeat } = await killWhileSending(far, sandbox, 2);
        assert.equal((await repeat(second)).json.code, 'idempotency_in_flight', 'until it is settled');
        const settledMs = await untilSettled(second, ids, 'unknown');
        kind.diagnostic(`settled after ${settledMs} ms`);
        assert.ok(settledMs < SETTLED_WITHIN_MS);
        const replay = await repeat(second);
        assert.equal(replay.headers.get('idempotent-replayed'), 'true');
        assert.equal(replay.json.unknown_count, ids.length);
        assert.equal((await repeat(second)).text, replay.text);
        assert.equal((await transmitsOfKilled(sandbox, 2)).length, ids.length, 'nothing was transmitted again');
      }),
      t.test('although its node has no record any more', async () => {
        const { ids } = await killWhileSending(forgotten, sandbox, 3, async () => {
          await db.database.query('delete from node where pid = $1', [forgotten.child.pid]);
        });
        assert.ok((await untilSettled(second, ids, 'unknown')) < SETTLED_WITHIN_MS);
      }),
    ]);
  });

  it('a gateway that was paused beyond its lease does no harm when it wakes up', async (t) => {
    const { db, first, second, sandbox } = await startWorld(t, 0, { WAYPOST_SEND_DEADLINE_MS: '60000' });
    // Some recipients are accepted, one is never answered, and one is between two tries, the third of which must not come.
    const [refused, unanswered] = ['+15550130429', '+15552000003'];
    const to = [...phoneNumbers(0, 20), unanswered, refused];
    const sent = sendText(first.dev, to, { key: 'paused' });
    const triesOfRefused = async () => (await sandbox.transmits()).filter((transmit) => transmit.to === refused).length;
    await until(async () => (await triesOfRefused()) === 2);
    // What the node has known for long enough is committed.
    await until(async () => (await listMessages(second.dev, 'status=accepted')).length === 20);
    const ids = (await listMessages(second.dev, 'status=transmitting')).map(({ id }) => id);
    assert.equal(ids.length, 2);
    // What it has just learned only this node knows, if it is stopped quickly enough.
    const sentLast = sendText(first.dev, [...phoneNumbers(2, 5), unanswered], { key: 'last' });
    await until(async () => (await sandbox.transmits()).length === to.length + 1 + 6);
    first.child.kill('SIGSTOP');
    await untilSettled(second, ids, 'unknown');
    await until(async () => (await listMessages(second.dev, 'status=transmitting')).length === 0);
    const replayed = await sendText(second.dev, to, { key: 'paused' });
    assert.deepEqual([replayed.json.accepted_count, replayed.json.unknown_count], [20, 2]);
    first.child.kill('SIGCONT');

    const [answer, answerLast] = await Promise.all([sent, sentLast]);
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual([answer.json.accepted_count, answer.json.unknown_count], [20, 2]);
    assert.deepEqual([answerLast.json.accepted_count, answerLast.json.unknown_count], [5, 1]);
    const told: SentEntry[] = [...answer.json.results, ...answerLast.json.results];
    for (const { id, status } of told)
      assert.equal((await readApi(second.dev, `/api/v1/messages/${id}`)).json.status, status);
    assert.equal((await sendText(second.dev, to, { key: 'paused' })).text, replayed.text, 'a replay never changes');
    assert.equal(await triesOfRefused(), 2, 'what was settled meanwhile is not tried again');
    assert.equal((await sandbox.transmits()).length, to.length + 1 + 6);
    const isRecorded = async () =>
      (await db.database.query('select 1 from node where pid = $1', [first.child.pid])).length === 1;
    await until(isRecorded);
    assert.equal((await sendText(first.dev, phoneNumbers(1, 1))).json.accepted_count, 1);
  });

  it('an outage of the database beyond every lease does not make gateways take each other for gone', async (t) => {
    const { first, second, sandbox, proxy } = await startWorld(t, 1_000, PATIENT);
    const to = phoneNumbers(0, 20);
    // This send is under way all the time: the provider does not answer it for a minute, and the test ends before that.
    sendText(first.dev, ['+15552000003']).catch(() => undefined);
    const sent = [first, second].map((gateway, place) => sendText(gateway.dev, to, { key: `outage-${place}` }));
    await until(async () => (await sandbox.transmits()).length === 2 * to.length + 1);
    proxy.cut();
    const answers = await Promise.all(sent);
    await wait(LEASE_OVER_MS);
    proxy.restore();
    const gateways = [first, second];
    await until(async () => (await readApi(first.dev, '/readyz')).status === 200);
    for (const [place, { json, text, status }] of answers.entries()) {
      assert.equal(status, 200, text);
      assert.equal(json.accepted_count, to.length);
      const other = gateways[1 - place] ?? assert.fail();
      const replay = await until(async () => {
        const again = await sendText(other.dev, to, { key: `outage-${place}` });
        return again.status === 200 ? again : undefined;
      });
      assert.equal(replay.text, text, 'each has committed its own outcomes');
    }
    await wait(SWEEPS_OVER_MS);
    assert.deepEqual(await listMessages(first.dev, 'status=unknown'), []);
    assert.equal((await listMessages(second.dev, 'status=transmitting')).length, 1);
    assert.equal((await sandbox.transmits()).length, 2 * to.length + 1);
  });
});

/** Two gateways on one database and one sandbox. */
async function startWorld(t: TestContext, latencyMs: number, env: Record<string, string> = {}) {
  const world = await startCrashWorld(t, latencyMs);
  return { ...world, first: await world.startGateway(env), second: await world.startGateway(env) };
}

/** Kills a gateway while the provider thinks about its send. Each `series` sends to other numbers. */
async function killWhileSending(
  gateway: GatewayProcess,
  sandbox: SandboxBeside,
  series: number,
  before = async () => {},
) {
  const to = phoneNumbers(series, KILLED_MESSAGES);
  const repeat = ({ dev }: GatewayProcess) => sendText(dev, to, { key: `killed-${series}` });
  const lost = assert.rejects(repeat(gateway));
  const transmits = () => transmitsOfKilled(sandbox, series);
  await until(async () => (await transmits()).length === to.length);
  await before();
  await gateway.kill();
  await lost;
  return { repeat, ids: (await transmits()).map(({ biz_opaque_callback_data: id }) => id) };
}

async function transmitsOfKilled(sandbox: SandboxBeside, series: number) {
  const numbers = phoneNumbers(series, KILLED_MESSAGES);
  return (await sandbox.transmits()).filter(({ to }) => numbers.includes(to ?? ''));
}

/** Waits until all these messages have the status, and returns how many milliseconds that took. */
async function untilSettled({ dev }: GatewayProcess, ids: string[], status: string): Promise<number> {
  const startedMs = Date.now();
  await until(async () => {
    const settled = new Set((await listMessages(dev, `status=${status}`)).map(({ id }) => id));
    return ids.every((id) => settled.has(id));
  }, 2 * SETTLED_WITHIN_MS);
  return Date.now() - startedMs;
}
