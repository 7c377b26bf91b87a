import { type ChildProcess, fork } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Agent, request } from 'undici';
import { errorCodeOf } from './kernel/error-code.ts';
import { keepRunning } from './kernel/keep-running.ts';
import { SECRET_NAMES } from './settings.ts';

const PROGRAM = fileURLToPath(new URL('../sandbox/main.ts', import.meta.url));
/** For a whole answer: what else listens at the port may begin one and never end it. */
const ANSWER_TIMEOUT_MS = 3_000;
/** The calls to this machine go there. Without an agent of our own they may go to a proxy of the environment (NODE_USE_ENV_PROXY). */
const DIRECT = new Agent();
const START_TIMEOUT_MS = 20_000;
const STOP_TIMEOUT_MS = 3_000;
/** Soon enough that nobody who has restarted a sandbox looks for a fault. */
const TOLD_AGAIN_MS = 2_000;
/** So often in a row: the gateway that started it has time to start it again. */
const REFUSALS_MAX = 3;

export interface RunningSandbox {
  url: string;
  /** Tells the sandbox where its notifications go. Throws if it is another gateway's sandbox. */
  register(callbackUrl: string): Promise<void>;
  /** Stops it, if this process started it. */
  stop(): Promise<void>;
}

interface Options {
  /** 0: any free port. */
  port: number;
  appSecret: string;
  dataDir: string;
  log: { error(message: string): void };
}

/**
 * Starts the sandbox as a process of its own, so that it costs the gateway neither memory nor time. One that runs at that
 * port already is used instead: it may be restarted, and outlives the gateway. One that another gateway started goes with
 * that gateway, and is then replaced by an own one. Throws a sentence for the operator if the port is taken by something
 * else.
 */
export async function startSandbox(options: Options): Promise<RunningSandbox> {
  let { port } = options;
  let callbackUrl: string | undefined;
  let url = '';
  const tell = async () => {
    if (callbackUrl !== undefined) await registerAt(url, options.appSecret, callbackUrl);
  };
  const kept = await keepRunning(
    'The sandbox',
    async () => {
      const sandbox = await findOrRun({ ...options, port }, tell);
      url = sandbox.url;
      port = Number(new URL(url).port);
      try {
        await tell();
      } catch (error) {
        // One that does not know its callback would take sends and tell nothing of them.
        await sandbox.stop();
        throw error;
      }
      return sandbox;
    },
    options.log,
  );
  return {
    url,
    async register(to) {
      callbackUrl = to;
      // One that went with its gateway a moment ago is replaced, and then told.
      await tell().catch((error: unknown) => {
        if (!isRefused(error)) throw error;
      });
    },
    stop: () => kept.stop(),
  };
}

interface KeptSandbox {
  url: string;
  /** Resolves when it is gone, and another one is to be found or started. */
  exited: Promise<void>;
  /** Stops it, if this process started it. */
  stop(): Promise<void>;
}

async function findOrRun(options: Options, tell: () => Promise<void>): Promise<KeptSandbox> {
  const find = async () => (options.port === 0 ? undefined : findSandbox(options.port, tell));
  try {
    return (await find()) ?? (await runOwn(options));
  } catch (error) {
    // Another gateway may have been quicker to take the port.
    const found = await find();
    if (found === undefined) throw error;
    return found;
  }
}

async function runOwn(options: Options): Promise<KeptSandbox> {
  const child = forkSandbox(options);
  const url = await untilListening(child);
  return { url, exited: untilExit(child), stop: () => stopChild(child) };
}

function forkSandbox({ port, appSecret, dataDir }: Options): ChildProcess {
  return fork(PROGRAM, [], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      ...withoutSecrets(process.env),
      WAYPOST_SANDBOX_CHILD: '1',
      WAYPOST_SANDBOX_PORT: String(port),
      WAYPOST_SANDBOX_APP_SECRET: appSecret,
      WAYPOST_DATA_DIR: dataDir,
    },
  });
}

/** The sandbox has no use for what opens the database, the callback and the platform's API. */
function withoutSecrets(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !SECRET_NAMES.includes(name)));
}

async function findSandbox(port: number, tell: () => Promise<void>): Promise<KeptSandbox | undefined> {
  const url = `http://127.0.0.1:${port}`;
  try {
    const { body } = await request(`${url}/_sandbox/health`, {
      dispatcher: DIRECT,
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    const health: unknown = await body.json();
    if (Reflect.get(Object(health), 'service') !== 'waypost-sandbox') return undefined;
    return { url, ...watchFound(tell, Reflect.get(Object(health), 'alone') === true) };
  } catch {
    // Nothing listens there, or something other than a sandbox. Starting one says which.
    return undefined;
  }
}

/**
 * It may be restarted at any time, and then no longer knows where its notifications go. So it is told again and again. One
 * that runs alone comes back when whoever runs it wants it to; nobody else may take its place meanwhile.
 */
function watchFound(tell: () => Promise<void>, isAlone: boolean): Pick<KeptSandbox, 'exited' | 'stop'> {
  const { promise: exited, resolve } = Promise.withResolvers<void>();
  let refusals = 0;
  const look = async () => {
    // One that is away, or has become another gateway's, shows in every send. It is told once it is back.
    const error = await tell().catch((error: unknown) => error);
    refusals = isRefused(error) ? refusals + 1 : 0;
    if (isAlone || refusals < REFUSALS_MAX) return;
    clearInterval(timer);
    resolve();
  };
  const timer = setInterval(() => void look(), TOLD_AGAIN_MS).unref();
  return { exited, stop: async () => clearInterval(timer) };
}

/** Nothing listens there, unlike where something is slow. */
function isRefused(error: unknown): boolean {
  return errorCodeOf(error) === 'ECONNREFUSED';
}

function untilListening(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => fail('it did not come up in time'), START_TIMEOUT_MS);
    let listens = false;
    const fail = (reason: string) => {
      if (listens) return;
      clearTimeout(timer);
      child.kill('SIGKILL');
      reject(
        new Error(
          `The sandbox did not start: ${reason}. If it has not said why: choose another WAYPOST_SANDBOX_PORT, or WAYPOST_SANDBOX=off.`,
        ),
      );
    };
    child.once('exit', (code) => fail(`it ended with code ${code}`));
    // Where no process can be made now, one may be soon; without a listener it would end this one.
    child.on('error', (error) => fail(error.message));
    child.once('message', (message: unknown) => {
      listens = true;
      clearTimeout(timer);
      child.removeAllListeners('exit');
      resolve(String(Reflect.get(Object(message), 'url')));
    });
  });
}

async function registerAt(url: string, appSecret: string, callbackUrl: string): Promise<void> {
  const body = JSON.stringify({ url: callbackUrl });
  const signature = createHmac('sha256', appSecret).update(body).digest('hex');
  const answer = await request(`${url}/_sandbox/callback`, {
    dispatcher: DIRECT,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` },
    body,
    signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
  });
  await answer.body.dump();
  if (answer.statusCode === 200) return;
  throw new Error(
    `The sandbox at ${url} belongs to another gateway. Choose another WAYPOST_SANDBOX_PORT, or give both the same WAYPOST_SANDBOX_APP_SECRET.`,
  );
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

/** Asks it to stop by closing the channel, and kills it if it does not. */
async function stopChild(child: ChildProcess): Promise<void> {
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  if (child.connected) child.disconnect();
  await untilExit(child);
  clearTimeout(timer);
}
