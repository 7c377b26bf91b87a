import { parseArgs } from 'node:util';
import { createSandbox, type Sandbox, type SandboxOptions } from './server.ts';
import { readSettings } from './settings.ts';

/** How soon it notices that its npm is gone. */
const PARENT_LOOK_MS = 500;

const HELP = `npm run sandbox

Starts the sandbox alone, on loopback, and goes on until Ctrl-C. It is set by the environment:
  WAYPOST_SANDBOX_PORT         8081; 0 takes any free port
  WAYPOST_SANDBOX_APP_SECRET   signs notifications; made and kept in WAYPOST_DATA_DIR (.waypost) when missing
  WAYPOST_CALLBACK_URL         where notifications go, besides the gateways that register themselves
  WAYPOST_SANDBOX_LATENCY_MS   every send is answered after this time
  WAYPOST_SANDBOX_STATUSES     on or off`;

/** Runs the sandbox as a program of its own (`npm run sandbox`), or as the child of a gateway. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h' } } });
  if (values.help === true) return console.log(HELP);
  const isChild = process.env.WAYPOST_SANDBOX_CHILD === '1' && process.connected;
  // A child ignores these signals. A Ctrl-C, the stop of a service or the end of a terminal reaches the gateway too, which drains first and
  // then closes the channel to its sandbox.
  if (isChild) for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
  const log = (sentence: string) => console.error(`sandbox: ${sentence}`);
  const sandbox = await listening({ ...(await readSettings(process.env)), isAlone: !isChild, log });
  if (isChild) serveParent(sandbox);
  else serveAlone(sandbox);
}

async function listening(options: SandboxOptions): Promise<Sandbox> {
  try {
    return await createSandbox(options);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
    const help = 'Stop what listens there, or choose another WAYPOST_SANDBOX_PORT.';
    throw new Error(`port ${options.port} of 127.0.0.1 is taken. ${help}`);
  }
}

/** Tells the parent the address. The sandbox ends when the parent does. */
function serveParent(sandbox: Sandbox): void {
  process.once('disconnect', () => stop(sandbox));
  if (process.connected) process.send?.({ url: sandbox.url });
  else stop(sandbox);
}

function serveAlone(sandbox: Sandbox): void {
  process.once('SIGINT', () => stop(sandbox));
  process.once('SIGTERM', () => stop(sandbox));
  stopWithNpm(sandbox);
  const elsewhere = 'set its WAYPOST_PROVIDER_URL to this, and here WAYPOST_CALLBACK_URL to its callback';
  console.log(
    `The sandbox listens on ${sandbox.url}. A gateway with the same data folder and port finds it by itself.`,
  );
  console.log(`To point another one to it, ${elsewhere}.`);
}

/** npm runs a script through a shell, and a shell that gets a signal dies without passing it on: its death is that signal. */
function stopWithNpm(sandbox: Sandbox): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const look = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(look);
    stop(sandbox);
  }, PARENT_LOOK_MS);
  look.unref();
}

function stop(sandbox: Sandbox): void {
  sandbox.close().then(
    () => process.exit(0),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
}

try {
  await main();
} catch (error) {
  const isUsage = error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_');
  const help = isUsage ? ' (add --help for help).' : '';
  console.error(error instanceof Error ? `The sandbox cannot start: ${error.message}${help}` : error);
  process.exit(isUsage ? 2 : 1);
}
