import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { PROGRAM_ENV } from '../support/program-env.ts';
import { until } from '../support/until.ts';
import { untilReady } from '../support/until-ready.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const START_TIMEOUT_MS = 60_000;
/** As npm starts it: through a shell, which dies by a signal and does not pass it on. */
const THROUGH_A_SHELL = '"$0" scripts/start.js & wait';
const onUnix = { skip: process.platform === 'win32' };

it(
  'a gateway whose npm is killed stops as when it is asked to, with its sandbox and its database',
  onUnix,
  async (t) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'waypost-shell-'));
    const ports = { PORT: '0', WAYPOST_SANDBOX_PORT: '0', WAYPOST_METRICS_PORT: 'off' };
    const shell = spawn('sh', ['-c', THROUGH_A_SHELL, process.execPath], {
      cwd: ROOT,
      env: { ...PROGRAM_ENV, ...ports, WAYPOST_DATA_DIR: dataDir, npm_lifecycle_event: 'start' },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own, by which what is left of it is ended.
      detached: true,
    });
    let output = '';
    let allEnded = false;
    shell.stdout.on('data', (chunk) => (output += chunk));
    shell.stderr.on('data', (chunk) => (output += chunk));
    // The pipes close with the last of the programs that have them.
    shell.once('close', () => (allEnded = true));
    t.after(async () => {
      if (!allEnded && shell.pid !== undefined) process.kill(-shell.pid, 'SIGTERM');
      await until(() => allEnded);
      await rm(dataDir, { recursive: true, force: true });
    });
    const starting = { child: shell, name: 'gateway', output: () => output };
    await untilReady(starting, () => output.includes('Stop with Ctrl-C.'), START_TIMEOUT_MS);
    shell.kill('SIGKILL');
    await until(() => output.includes('"gateway.stopped"') && allEnded);
  },
);
