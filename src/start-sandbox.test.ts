import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { it, type TestContext } from 'node:test';
import { listen } from '../client/test/listen.ts';
import { createSandbox } from '../sandbox/server.ts';
import { until } from '../test/support/until.ts';
import { startSandbox } from './start-sandbox.ts';

const onLinux = { skip: process.platform !== 'linux' && 'only Linux shows processes as files' };
const log = { error() {} };
/** Far less than a sandbox has to come up. */
const STOPPED_WITHIN_MS = 10_000;

it('a port whose server never ends its answers is told to be taken, and holds up no start', async (t) => {
  const server = createServer((_request, answer) => void answer.writeHead(200).write('data: 1\n\n'));
  const port = Number(new URL(await listen(server)).port);
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  await assert.rejects(startSandbox({ port, appSecret: 'secret', dataDir: '.', log }), /WAYPOST_SANDBOX_PORT/);
});

it(
  'a sandbox that is killed is started again at its address, and told where its notifications go',
  onLinux,
  async (t) => {
    let posted = 0;
    const callbackUrl = await takePosts(t, () => posted++);
    const sandbox = await startSandbox({ port: 0, appSecret: 'secret', dataDir: tmpdir(), log });
    t.after(() => sandbox.stop());
    await sandbox.register(callbackUrl);

    const [first] = sandboxPids();
    assert.ok(first !== undefined);
    process.kill(first, 'SIGKILL');

    const notify = () => fetch(`${sandbox.url}/_sandbox/notifications`, { method: 'POST', body: '{}' });
    // Until it listens, nobody answers there.
    await until(async () => (await notify().catch(() => undefined))?.ok === true && posted > 0);

    // The next one hangs while it loads. A stop waits for no start.
    const [second] = sandboxPids();
    assert.ok(second !== undefined);
    process.kill(second, 'SIGKILL');
    const third = await until(() => sandboxPids().find((pid) => pid !== second));
    process.kill(third, 'SIGSTOP');
    const stoppingMs = performance.now();
    await sandbox.stop();
    assert.ok(performance.now() - stoppingMs < STOPPED_WITHIN_MS);
    await until(() => sandboxPids().length === 0);
  },
);

it(
  'a sandbox that goes with the gateway that started it is replaced by one of those that use it, and used by the others',
  onLinux,
  async (t) => {
    let posted = 0;
    const told: string[] = [];
    const callbackUrl = await takePosts(t, () => posted++);
    const options = { appSecret: 'secret', dataDir: tmpdir(), log: { error: (text: string) => void told.push(text) } };
    const first = await startSandbox({ ...options, port: 0 });
    t.after(() => first.stop());
    const port = Number(new URL(first.url).port);
    const others = [await startSandbox({ ...options, port }), await startSandbox({ ...options, port })];
    t.after(() => Promise.all(others.map((one) => one.stop())));
    for (const one of others) await one.register(callbackUrl);
    await first.stop();
    assert.deepEqual(sandboxPids(), []);

    const notify = () => fetch(`${first.url}/_sandbox/notifications`, { method: 'POST', body: '{}' });
    // Until it listens, nobody answers there.
    await until(async () => (await notify().catch(() => undefined))?.ok === true && posted > 0);
    await until(() => sandboxPids().length === 1);
    assert.match(told.join(), /The sandbox ended by itself; it is started again/);
    await Promise.all(others.map((one) => one.stop()));
    assert.deepEqual(sandboxPids(), []);
  },
);

it('a sandbox that hangs is killed by the stop, which does not wait for it', onLinux, async () => {
  const sandbox = await startSandbox({ port: 0, appSecret: 'secret', dataDir: tmpdir(), log });
  const [pid] = sandboxPids();
  assert.ok(pid !== undefined);
  process.kill(pid, 'SIGSTOP');
  const stoppingMs = performance.now();
  await sandbox.stop();
  assert.ok(performance.now() - stoppingMs < STOPPED_WITHIN_MS);
  assert.deepEqual(sandboxPids(), []);
});

it(
  'a sandbox in whose place comes that of another gateway is told to be in the way, and is back when it is gone',
  onLinux,
  async (t) => {
    let posted = 0;
    const told: string[] = [];
    const callbackUrl = await takePosts(t, () => posted++);
    const sandbox = await startSandbox({
      port: 0,
      appSecret: 'secret',
      dataDir: tmpdir(),
      log: { error: (text) => void told.push(text) },
    });
    t.after(() => sandbox.stop());
    await sandbox.register(callbackUrl);
    const port = Number(new URL(sandbox.url).port);
    // Whoever is quicker has the port, and the next one of ours loads for longer than another takes to listen.
    const other = await until(async () => {
      for (const pid of sandboxPids()) process.kill(pid, 'SIGKILL');
      return createSandbox({ port, appSecret: 'of another gateway', isAlone: false }).catch(() => undefined);
    });
    let closing: Promise<void> | undefined;
    const closeOther = () => (closing ??= other.close());
    t.after(closeOther);
    await until(() => told.some((text) => text.includes('belongs to another gateway')));
    assert.deepEqual(sandboxPids(), []);
    await closeOther();
    await until(() => sandboxPids().length === 1);
    const notify = () => fetch(`${sandbox.url}/_sandbox/notifications`, { method: 'POST', body: '{}' });
    // Until it listens, nobody answers there.
    await until(async () => (await notify().catch(() => undefined))?.ok === true && posted > 0);
  },
);

it(
  'a sandbox that a Ctrl-C ends while it loads is no fault of a start that the same Ctrl-C stops',
  onLinux,
  async () => {
    const stop = new AbortController();
    const options = { port: 0, appSecret: 'secret', dataDir: tmpdir(), log, stopping: stop.signal };
    const stopped = assert.rejects(startSandbox(options), { message: 'Told to stop' });
    const pid = await until(() => sandboxPids()[0]);
    stop.abort(new Error('Told to stop'));
    process.kill(pid, 'SIGINT');
    await stopped;
  },
);

/** Takes all that is posted to it, and returns its address. */
async function takePosts(t: TestContext, onPost: () => void): Promise<string> {
  const server = createServer((request, answer) => {
    onPost();
    request.resume().on('end', () => answer.end());
  });
  t.after(() => server.close());
  return listen(server);
}

/** Those that this process has started. */
function sandboxPids(): number[] {
  const tasks = readdirSync('/proc/self/task');
  const pids = tasks.flatMap((task) => readFileSync(`/proc/self/task/${task}/children`, 'utf8').match(/\d+/g) ?? []);
  return pids.filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('sandbox/main.ts')).map(Number);
}
