import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { listMessages, phoneNumbers, readApi, sendText } from '../support/call-gateway.ts';
import { startGatewayProcess } from '../support/process.ts';
import { type SandboxProcess, startSandboxProcess } from '../support/sandbox-process.ts';
import { until } from '../support/until.ts';

/** Long enough that a send is certainly under way when the signal comes. */
const LATENCY_MS = 1_500;

it('a gateway that is asked to stop finishes what is under way, refuses what is new, and leaves nothing behind', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'waypost-stop-'));
  const sandbox = await startSandboxProcess({ WAYPOST_SANDBOX_LATENCY_MS: String(LATENCY_MS) });
  const gateway = await startGatewayProcess(dataDir, sandbox.settings);
  try {
    const underWay = [1, 50, 3].map((size, place) => sendText(gateway.dev, phoneNumbers(place, size)));
    await untilTransmitted(sandbox, 54);
    const startedMs = Date.now();
    const stopped = gateway.stop();
    await until(async () => {
      const late = await sendText(gateway.dev, phoneNumbers(9, 1)).catch(() => 'refused' as const);
      return late === 'refused' || late.status === 503;
    });
    for (const [place, answer] of (await Promise.all(underWay)).entries()) {
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.json.accepted_count, [1, 50, 3][place]);
    }
    assert.equal(await stopped, 0);
    assert.ok(Date.now() - startedMs < 10_000, 'it does not wait for idle connections of callers');
    assert.deepEqual(await processesIn(dataDir), [], 'the database has stopped too');

    const next = await startGatewayProcess(dataDir, sandbox.settings);
    try {
      assert.deepEqual(await listMessages(next.dev, 'status=transmitting'), []);
      const accepted = await listMessages(next.dev, 'direction=outbound');
      const transmitted = (await sandbox.transmits()).map(({ biz_opaque_callback_data: id }) => id);
      assert.deepEqual(accepted.map(({ id }) => id).sort(), transmitted.sort());
    } finally {
      assert.equal(await next.stop(), 0);
    }
  } finally {
    await gateway.kill();
    await sandbox.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
});

it('a gateway stops its own sandbox', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'waypost-stop-'));
  const gateway = await startGatewayProcess(dataDir);
  assert.equal((await fetch(`${gateway.dev.sandbox_url}/_sandbox/health`)).status, 200);
  assert.equal(await gateway.stop(), 0);
  await assert.rejects(fetch(`${gateway.dev.sandbox_url}/_sandbox/health`));
  await rm(dataDir, { recursive: true, force: true });
});

it('a caller that never finishes its request does not keep a gateway from stopping cleanly', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'waypost-stop-'));
  const gateway = await startGatewayProcess(dataDir, { WAYPOST_SEND_DEADLINE_MS: '1000' });
  const { hostname, port } = new URL(gateway.dev.base_url);
  const slow = connect(Number(port), hostname);
  slow.write(
    `POST /api/v1/messages/send HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${gateway.dev.test_key}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"to"',
  );
  await once(slow, 'connect');
  const hungUp = once(slow, 'close');
  assert.equal(await gateway.stop(), 0);
  await hungUp;
  await rm(dataDir, { recursive: true, force: true });
});

it('a second signal ends it at once with a failure code, and the next start settles what was under way', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'waypost-stop-'));
  const sandbox = await startSandboxProcess({ WAYPOST_SANDBOX_LATENCY_MS: '20000' });
  const gateway = await startGatewayProcess(dataDir, sandbox.settings);
  const lost = assert.rejects(sendText(gateway.dev, phoneNumbers(0, 2)));
  await untilTransmitted(sandbox, 2);
  const stopped = gateway.stop();
  await until(async () => (await readApi(gateway.dev, '/readyz').catch(() => undefined))?.status !== 200);
  gateway.child.kill('SIGTERM');
  assert.equal(await stopped, 1);
  await lost;
  const next = await startGatewayProcess(dataDir, sandbox.settings);
  try {
    const statuses = (await listMessages(next.dev, 'direction=outbound')).map(({ status }) => status);
    assert.equal(statuses.length, 2);
    assert.deepEqual(await listMessages(next.dev, 'status=transmitting'), []);
  } finally {
    assert.equal(await next.stop(), 0);
    await sandbox.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
});

function untilTransmitted(sandbox: SandboxProcess, count: number): Promise<boolean> {
  return until(async () => (await sandbox.transmits()).length === count);
}

/** The processes that were started for this data folder, by their command lines: PostgreSQL's names its cluster. */
async function processesIn(dataDir: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const commands = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  return commands.filter((command) => command.includes(dataDir));
}
