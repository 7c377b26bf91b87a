import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import type { DevFile } from '../../src/demo.ts';
import { startReceiver } from '../endpoints/receiver.ts';
import { callApi } from '../support/call-api.ts';
import { listMessages, phoneNumbers, readApi, sendText } from '../support/call-gateway.ts';
import { ownDatabase } from '../support/own-database.ts';
import { beginGatewayProcess, type GatewayProcess, START_TIMEOUT_MS, startGatewayProcess } from '../support/process.ts';
import { type SandboxBeside, startSandboxBeside } from '../support/sandbox-beside.ts';
import { until } from '../support/until.ts';
import { untilReady } from '../support/until-ready.ts';

/** Long enough that a send is certainly under way when the signal comes. */
const LATENCY_MS = 1_500;
/** Far below the budget of 30 s, and above the 5 s that attempts at endpoints have. */
const SOON_MS = 20_000;

it('a gateway that is asked to stop finishes what is under way, refuses what is new, and leaves nothing behind, by whatever signal', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'waypost-stop-'));
  const sandbox = await startSandboxBeside({ latencyMs: LATENCY_MS });
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
    assert.ok(Date.now() - startedMs < SOON_MS, 'it does not wait for idle connections of callers');
    assert.deepEqual(await processesIn(dataDir), [], 'the database has stopped too');

    const next = await startGatewayProcess(dataDir, sandbox.settings);
    try {
      assert.deepEqual(await listMessages(next.dev, 'status=transmitting'), []);
      const accepted = await listMessages(next.dev, 'direction=outbound');
      const transmitted = (await sandbox.transmits()).map(({ biz_opaque_callback_data: id }) => id);
      assert.deepEqual(accepted.map(({ id }) => id).sort(), transmitted.sort());
      await stopsWithItsTerminal(next);
      assert.deepEqual(await processesIn(dataDir), []);
    } finally {
      await next.kill();
    }
  } finally {
    await gateway.kill();
    await sandbox.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
});

it('neither callers that never finish their requests nor an endpoint that hangs take a stop its clean end, with its own sandbox', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'waypost-stop-'));
  const receiver = await startReceiver(() => undefined);
  const gateway = await startGatewayProcess(dataDir, await ownDatabase(t));
  t.after(async () => {
    await gateway.kill();
    await receiver.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  const body = { url: receiver.url };
  await callApi(gateway.dev.base_url, 'POST', '/api/v1/endpoints', { key: gateway.dev.test_key, body });
  await sendText(gateway.dev, phoneNumbers(0, 20));
  await until(() => receiver.received.length > 0);
  const callers = await beginCalls(gateway.dev, 10);
  const hungUp = Promise.all(callers.map((caller) => once(caller, 'close')));
  const begunMs = Date.now();
  assert.equal(await gateway.stop(), 0);
  assert.ok(Date.now() - begunMs < SOON_MS, `${Date.now() - begunMs} ms`);
  await hungUp;
  await assert.rejects(fetch(`${gateway.dev.sandbox_url}/_sandbox/health`), 'its own sandbox has stopped too');
});

it('what it prints to a reader that is gone ends nothing, and leaves its stop a clean end', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'waypost-stop-'));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const { child, output } = beginGatewayProcess(dataDir, { ...(await ownDatabase(t)), WAYPOST_SANDBOX: 'off' });
  t.after(() => child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  child.stdout.destroy();
  const starting = { child, name: 'gateway', output };
  await untilReady(starting, () => output().includes('"gateway.ready"'), START_TIMEOUT_MS);
  child.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null], output());
});

it('a second signal ends it at once with a failure code, its database too, and the next start settles the rest', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'waypost-stop-'));
  const sandbox = await startSandboxBeside({ latencyMs: 20_000 });
  t.after(async () => {
    await sandbox.stop();
    await rm(dataDir, { recursive: true, force: true });
  });
  const gateway = await startGatewayProcess(dataDir, sandbox.settings);
  const lost = assert.rejects(sendText(gateway.dev, phoneNumbers(0, 2)));
  await untilTransmitted(sandbox, 2);
  const stopped = gateway.stop();
  await until(async () => (await readApi(gateway.dev, '/readyz').catch(() => undefined))?.status !== 200);
  gateway.child.kill('SIGTERM');
  assert.equal(await stopped, 1);
  await lost;
  await until(async () => (await processesIn(dataDir)).length === 0);
  const next = await startGatewayProcess(dataDir, sandbox.settings);
  t.after(() => next.kill());
  const statuses = (await listMessages(next.dev, 'direction=outbound')).map(({ status }) => status);
  assert.equal(statuses.length, 2);
  assert.deepEqual(await listMessages(next.dev, 'status=transmitting'), []);
  assert.equal(await next.stop(), 0);
});

/** A gateway whose terminal is closed stops as by any other signal, however often it is told. */
async function stopsWithItsTerminal({ child, output }: GatewayProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGHUP');
  await until(() => output().includes('gateway.stopping'));
  child.kill('SIGHUP');
  assert.deepEqual(await ended, [0, null]);
}

/** Begins calls and finishes none: some stop before the first byte, some in the middle of the headers, and some in the middle of a body. */
async function beginCalls(dev: DevFile, each: number): Promise<Socket[]> {
  const { hostname, port } = new URL(dev.base_url);
  const line = `POST /api/v1/messages/send HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${dev.test_key}\r\n`;
  const beginnings = ['', line, `${line}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"to"`];
  const sockets = beginnings.flatMap((beginning) =>
    Array.from({ length: each }, () => {
      // Reads the answer, because a socket with unread bytes does not report that it was closed.
      const socket = connect(Number(port), hostname)
        .on('error', () => undefined)
        .resume();
      if (beginning !== '') socket.write(beginning);
      return socket;
    }),
  );
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  // By then the gateway has read everything that came before this call.
  await readApi(dev, '/readyz');
  return sockets;
}

function untilTransmitted(sandbox: SandboxBeside, count: number): Promise<boolean> {
  return until(async () => (await sandbox.transmits()).length === count);
}

/** The processes of this data folder, by their command lines. PostgreSQL's command line names its cluster. */
async function processesIn(dataDir: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const commands = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  return commands.filter((command) => command.includes(dataDir));
}
