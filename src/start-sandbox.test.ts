import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { it } from 'node:test';
import { until } from '../test/support/until.ts';
import { startSandbox } from './start-sandbox.ts';

const onLinux = { skip: process.platform !== 'linux' && 'only Linux shows processes as files' };
const log = { error() {} };

it('a port whose server never ends its answers is told to be taken, and holds up no start', async (t) => {
  const server = createServer((_request, answer) => void answer.writeHead(200).write('data: 1\n\n'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  await assert.rejects(
    startSandbox({ port: address.port, appSecret: 'secret', dataDir: '.', log }),
    /WAYPOST_SANDBOX_PORT/,
  );
});

it(
  'a sandbox that is killed is started again at its address, and told where its notifications go',
  onLinux,
  async (t) => {
    let posted = 0;
    const callback = createServer((request, answer) => {
      posted++;
      request.resume().on('end', () => answer.end());
    });
    callback.listen(0, '127.0.0.1');
    await once(callback, 'listening');
    t.after(() => callback.close());
    const address = callback.address();
    assert.ok(typeof address === 'object' && address !== null);
    const sandbox = await startSandbox({ port: 0, appSecret: 'secret', dataDir: tmpdir(), log });
    t.after(() => sandbox.stop());
    await sandbox.register(`http://127.0.0.1:${address.port}/`);

    const [first] = sandboxPids();
    assert.ok(first !== undefined);
    process.kill(first, 'SIGKILL');

    const notify = () => fetch(`${sandbox.url}/_sandbox/notifications`, { method: 'POST', body: '{}' });
    await until(async () => (await notify().catch(() => undefined))?.ok === true && posted > 0);
    await sandbox.stop();
    assert.deepEqual(sandboxPids(), []);
  },
);

/** Those that this process has started. */
function sandboxPids(): number[] {
  const tasks = readdirSync('/proc/self/task');
  const pids = tasks.flatMap((task) => readFileSync(`/proc/self/task/${task}/children`, 'utf8').match(/\d+/g) ?? []);
  return pids.filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('sandbox/main.ts')).map(Number);
}
