import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { PROGRAM_ENV } from './program-env.ts';
import { readTransmits, type SeenTransmit } from './transmits.ts';
import { untilReady } from './until-ready.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const ADDRESS = /http:\/\/127\.0\.0\.1:(\d+)/;

export interface SandboxProcess {
  child: ChildProcess;
  url: string;
  /** The settings with which a gateway uses this sandbox. */
  settings: { WAYPOST_SANDBOX_PORT: string; WAYPOST_SANDBOX_APP_SECRET: string };
  /** Every transmit that it has read, or only those of one message. */
  transmits(messageId?: string): Promise<SeenTransmit[]>;
  stop(): Promise<void>;
}

/** Starts the sandbox as a process of its own, so that what it has read outlives every gateway that uses it. */
export async function startSandboxProcess(env: Record<string, string> = {}): Promise<SandboxProcess> {
  const appSecret = randomBytes(32).toString('hex');
  const child = spawn(process.execPath, ['sandbox/main.ts'], {
    cwd: ROOT,
    env: { ...PROGRAM_ENV, WAYPOST_SANDBOX_PORT: '0', WAYPOST_SANDBOX_APP_SECRET: appSecret, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const starting = { child, name: 'sandbox', output: () => output };
  const [url, port = ''] = await untilReady(starting, () => ADDRESS.exec(output));
  return {
    child,
    url,
    settings: { WAYPOST_SANDBOX_PORT: port, WAYPOST_SANDBOX_APP_SECRET: appSecret },
    transmits: (messageId) => readTransmits(url, messageId === undefined ? {} : { callback_data: messageId }),
    async stop() {
      child.kill('SIGTERM');
      await gone;
    },
  };
}
