import { Agent, request } from 'undici';
import { errorCodeOf } from './kernel/error-code.ts';
import { keepRunning } from './kernel/keep-running.ts';
import { signBytes } from './kernel/signature.ts';
import { type KeptSandbox, runSandbox, type SandboxOptions } from './run-sandbox.ts';

/** For a whole answer: another program that listens at the port may begin an answer and never end it. */
const ANSWER_TIMEOUT_MS = 3_000;
/** The agent for the calls to this machine. Without it they could go through a proxy that the environment names (NODE_USE_ENV_PROXY). */
const DIRECT = new Agent();
/** How often a sandbox that was found is told the callback again. Somebody who restarts it must not have to look for a fault. */
const TOLD_AGAIN_MS = 2_000;
/**
 * After so many refused connections in a row a found sandbox counts as gone. Until then the gateway that started it has time to start it
 * again.
 */
const REFUSALS_MAX = 3;

export interface RunningSandbox {
  url: string;
  /** Tells the sandbox where its notifications go. Throws if it is another gateway's sandbox. */
  register(callbackUrl: string): Promise<void>;
  /** Stops it, if this process started it. */
  stop(): Promise<void>;
}

interface Options extends SandboxOptions {
  log: { error(message: string): void };
  /** Once it is aborted, a start that fails throws the signal's reason. */
  stopping?: AbortSignal;
}

/**
 * Starts the sandbox as a process of its own, so that it costs the gateway neither memory nor time. If a sandbox runs at that port already,
 * it is used instead. A sandbox that was started by hand may be restarted, and outlives the gateway; one that another gateway started ends
 * with that gateway, and is then replaced by one of this gateway. Throws a sentence for the operator if another program has the port.
 */
export async function startSandbox(options: Options): Promise<RunningSandbox> {
  let { port } = options;
  let callbackUrl: string | undefined;
  let url = '';
  const tell = async (again = false) => {
    if (callbackUrl !== undefined) await registerAt(url, options.appSecret, { url: callbackUrl, again });
  };
  const kept = await keepRunning(
    'The sandbox',
    async (stopping) => {
      const sandbox = await findOrRun({ ...options, port }, stopping, () => tell(true));
      url = sandbox.url;
      port = Number(new URL(url).port);
      try {
        await tell();
      } catch (error) {
        // A sandbox that does not know its callback would take sends, and post nothing about them.
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
      // If the sandbox ended with its gateway a moment ago, it is replaced, and the new one is told the callback at its start.
      await tell().catch((error: unknown) => {
        if (!isRefused(error)) throw error;
      });
    },
    stop: () => kept.stop(),
  };
}

async function findOrRun(
  options: Options,
  stopping: AbortSignal,
  tellAgain: () => Promise<void>,
): Promise<KeptSandbox> {
  const find = async () => (options.port === 0 ? undefined : findSandbox(options.port, tellAgain));
  try {
    return (await find()) ?? (await runSandbox(options, stopping));
  } catch (error) {
    // A Ctrl-C, or the stop of a service, ends a sandbox too that is still loading and does not listen for signals yet.
    options.stopping?.throwIfAborted();
    // Nobody needs one any more.
    stopping.throwIfAborted();
    // Another gateway may have been quicker to take the port.
    const found = await find();
    if (found === undefined) throw error;
    return found;
  }
}

async function findSandbox(port: number, tellAgain: () => Promise<void>): Promise<KeptSandbox | undefined> {
  const url = `http://127.0.0.1:${port}`;
  try {
    const { body } = await request(`${url}/_sandbox/health`, {
      dispatcher: DIRECT,
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    const health: unknown = await body.json();
    if (Reflect.get(Object(health), 'service') !== 'waypost-sandbox') return undefined;
    return { url, ...watchFound(tellAgain, Reflect.get(Object(health), 'alone') === true) };
  } catch {
    // Nothing listens there, or a program that is no sandbox. The error of the sandbox that is started next says which.
    return undefined;
  }
}

/**
 * Tells a sandbox that was found its callback again and again, because it may be restarted at any time and then no longer knows it. A
 * sandbox that was started by hand comes back when its user wants it to; nobody else may take its place meanwhile. Of several gateways the one
 * that began last gets the notifications, as long as it can be connected to: telling again does not change that.
 */
function watchFound(tellAgain: () => Promise<void>, isAlone: boolean): Pick<KeptSandbox, 'exited' | 'stop'> {
  const { promise: exited, resolve } = Promise.withResolvers<void>();
  let refusals = 0;
  const look = async () => {
    // If the sandbox is away, or belongs to another gateway now, every send shows that. It is told again once it is back.
    const error = await tellAgain().catch((error: unknown) => error);
    refusals = isRefused(error) ? refusals + 1 : 0;
    if (isAlone || refusals < REFUSALS_MAX) return;
    clearInterval(timer);
    resolve();
  };
  const timer = setInterval(() => void look(), TOLD_AGAIN_MS).unref();
  return { exited, stop: async () => clearInterval(timer) };
}

/** Nothing listens there. A sandbox that is only slow gives another error. */
function isRefused(error: unknown): boolean {
  return errorCodeOf(error) === 'ECONNREFUSED';
}

async function registerAt(url: string, appSecret: string, callback: { url: string; again: boolean }): Promise<void> {
  const body = JSON.stringify(callback);
  const answer = await request(`${url}/_sandbox/callback`, {
    dispatcher: DIRECT,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-hub-signature-256': signBytes(Buffer.from(body), appSecret) },
    body,
    signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
  });
  await answer.body.dump();
  if (answer.statusCode === 200) return;
  throw new Error(
    `The sandbox at ${url} belongs to another gateway. Choose another WAYPOST_SANDBOX_PORT, or give both the same WAYPOST_SANDBOX_APP_SECRET.`,
  );
}
