import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { listen } from '../client/test/listen.ts';
import { until } from '../test/support/until.ts';

const onUnix = { skip: process.platform === 'win32' };

it('following events ends when its npm is killed', onUnix, async (t) => {
  const { ended } = await loseNpm(t, 'events', 'tail');
  await until(ended);
});

it('sending a file begins nothing more when its npm is killed', onUnix, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'waypost-npm-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'people.csv');
  await writeFile(file, 'to\n+447700900101\n');
  const { output } = await loseNpm(t, 'send', '--csv', file, '--text', 'hello');
  await until(() => output().includes('Stopping as soon as what is under way is done.'));
});

/** Kills the shell that a command was started through. The gateway is busy all the time, for which both commands wait for minutes. */
async function loseNpm(t: TestContext, ...command: string[]) {
  const account = JSON.stringify({ id: '01a22bd9-a342-7738-9df7-ce639c571138', name: 'Acme', mode: 'test', key: {} });
  const results = [{ to: '+447700900101', status: 'valid' }];
  const checked = JSON.stringify({ account_id: 'x', type: 'text', valid_count: 1, invalid_count: 0, results });
  const waitsFor = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    if (request.url?.endsWith('/account')) return void response.end(account);
    if (request.url?.endsWith('/validate')) return void response.end(checked);
    waitsFor.resolve();
    response.writeHead(503, { 'retry-after': '1' }).end();
  });
  t.after(() => server.closeAllConnections());
  t.after(() => server.close());
  const env = { PATH: process.env.PATH, WAYPOST_URL: await listen(server), WAYPOST_API_KEY: 'wp_test_a' };
  // As npm starts it: through a shell, which dies by a signal and does not pass it on.
  const program = [process.execPath, join(import.meta.dirname, 'waypost.js'), ...command];
  const shell = spawn('sh', ['-c', '"$0" "$@" & wait', ...program], {
    env: { ...env, npm_lifecycle_event: 'npx' },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, by which what is left of it is ended.
    detached: true,
  });
  let allEnded = false;
  shell.stdout.resume();
  let written = '';
  shell.stderr.on('data', (chunk) => (written += chunk));
  shell.once('close', () => (allEnded = true));
  t.after(async () => {
    if (!allEnded) process.kill(-(shell.pid ?? 0), 'SIGKILL');
    await until(() => allEnded);
  });
  await waitsFor.promise;
  shell.kill('SIGTERM');
  return { ended: () => allEnded, output: () => written };
}
