import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { compiledSources } from './kernel/compiled-sources.ts';

const PROGRAM = fileURLToPath(new URL('../sandbox/main.ts', import.meta.url));
const START_TIMEOUT_MS = 20_000;
const STOP_TIMEOUT_MS = 3_000;
/** The settings of this project, and what the driver of the database and the exporter of traces read. Any of them may hold a secret. */
const SETTING = /^(WAYPOST_|OTEL_|DATABASE_URL|PG)/i;
/** What the sandbox reads beside what it is given. */
const FOR_SANDBOX = ['WAYPOST_CALLBACK_URL', 'WAYPOST_SANDBOX_LATENCY_MS', 'WAYPOST_SANDBOX_STATUSES'];

export interface SandboxOptions {
  /** 0: any free port. */
  port: number;
  appSecret: string;
  dataDir: string;
}

/** A sandbox that runs, whoever started it. */
export interface KeptSandbox {
  url: string;
  /** Resolves when this sandbox is gone, so that another one must be found or started. */
  exited: Promise<void>;
  /** Stops it, if this process started it. */
  stop(): Promise<void>;
}

/**
 * Starts a sandbox as a process of its own. Throws a sentence for the operator if it does not come up, or has not when `stopping` is
 * aborted.
 */
export async function runSandbox(options: SandboxOptions, stopping: AbortSignal): Promise<KeptSandbox> {
  stopping.throwIfAborted();
  const child = forkSandbox(options);
  const url = await untilListening(child, stopping);
  return { url, exited: untilExit(child), stop: () => stopChild(child) };
}

function forkSandbox({ port, appSecret, dataDir }: SandboxOptions): ChildProcess {
  return fork(PROGRAM, [], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      ...withoutSecrets(process.env),
      ...compiledSources(),
      WAYPOST_SANDBOX_CHILD: '1',
      WAYPOST_SANDBOX_PORT: String(port),
      WAYPOST_SANDBOX_APP_SECRET: appSecret,
      WAYPOST_DATA_DIR: dataDir,
    },
  });
}

/** Without what opens the database, the callback and the platform's API, also under a mistyped name: the sandbox has no use for it. */
function withoutSecrets(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isForSandbox = (name: string) => !SETTING.test(name) || FOR_SANDBOX.includes(name);
  return Object.fromEntries(Object.entries(environment).filter(([name]) => isForSandbox(name)));
}

function untilListening(child: ChildProcess, stopping: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => fail('it did not come up in time'), START_TIMEOUT_MS);
    const onStop = () => fail('it was told to stop');
    stopping.addEventListener('abort', onStop);
    const settle = () => {
      clearTimeout(timer);
      stopping.removeEventListener('abort', onStop);
    };
    let listens = false;
    const fail = (reason: string) => {
      if (listens) return;
      settle();
      child.kill('SIGKILL');
      reject(
        new Error(
          `The sandbox did not start: ${reason}. If it has not said why: choose another WAYPOST_SANDBOX_PORT, or WAYPOST_SANDBOX=off.`,
        ),
      );
    };
    child.once('exit', (code, signal) =>
      fail(signal === null ? `it ended with code ${code}` : `it was ended by ${signal}`),
    );
    // If no process can be made now, one may be possible soon. Without this listener the error would end the gateway.
    child.on('error', (error) => fail(error.message));
    child.once('message', (message: unknown) => {
      listens = true;
      settle();
      child.removeAllListeners('exit');
      resolve(String(Reflect.get(Object(message), 'url')));
    });
  });
}

function untilExit(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (hasExited(child)) resolve();
    else child.once('exit', () => resolve());
  });
}

function hasExited(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** Asks the sandbox to stop by closing the channel to it, and kills it if it does not stop in time. */
async function stopChild(child: ChildProcess): Promise<void> {
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  if (child.connected) child.disconnect();
  await untilExit(child);
  clearTimeout(timer);
}
