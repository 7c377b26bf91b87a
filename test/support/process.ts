import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DevFile } from '../../src/demo.ts';
import { PROGRAM_ENV } from './program-env.ts';
import { untilReady } from './until-ready.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** How long a start may take on a slow machine, beside other tests, and with nothing compiled yet. */
export const START_TIMEOUT_MS = 60_000;

export interface GatewayProcess {
  child: ChildProcess;
  dev: DevFile;
  /** Everything that it has printed so far, on both streams. */
  output(): string;
  /** Ends it at once, as a crash does, and waits until it is gone. */
  kill(): Promise<void>;
  /** Asks it to stop and resolves with its exit code. */
  stop(): Promise<number | null>;
}

/**
 * Begins to start a gateway as a process of its own (`node scripts/start.js`), and does not wait for it. `dataDir` is its data folder. Its
 * ports are free ones, unless `env` names others. `root` is the folder of its code. `output` returns everything that it has printed so far,
 * on both streams.
 */
export function beginGatewayProcess(dataDir: string, env: Record<string, string> = {}, root = ROOT) {
  const child = spawn(process.execPath, ['scripts/start.js'], {
    cwd: root,
    env: {
      ...PROGRAM_ENV,
      PORT: '0',
      WAYPOST_SANDBOX_PORT: '0',
      WAYPOST_METRICS_PORT: 'off',
      WAYPOST_DATA_DIR: dataDir,
      WAYPOST_RATE_REQUESTS: '100000',
      WAYPOST_RATE_RECIPIENTS: '1000000',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  return { child, output: () => output };
}

/**
 * Starts a gateway as `beginGatewayProcess` does, and waits until it is ready. A gateway in production needs the folder of an earlier
 * development start, whose `dev` it then has.
 */
export async function startGatewayProcess(
  dataDir: string,
  env: Record<string, string> = {},
  root = ROOT,
): Promise<GatewayProcess> {
  const { child, output } = beginGatewayProcess(dataDir, env, root);
  const gone = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const readyWord = env.NODE_ENV === 'production' ? '"gateway.ready"' : 'Stop with Ctrl-C.';
  await untilReady({ child, name: 'gateway', output }, () => output().includes(readyWord), START_TIMEOUT_MS);
  const dev: DevFile = JSON.parse(await readFile(join(dataDir, 'dev.json'), 'utf8'));
  return {
    child,
    dev,
    output,
    async kill() {
      child.kill('SIGKILL');
      await gone;
    },
    stop() {
      child.kill('SIGTERM');
      return gone;
    },
  };
}
