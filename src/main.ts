import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type App, createApp } from './app.ts';
import { loadConfig } from './config.ts';
import { prepareDemo, warnOfDemo } from './demo.ts';
import { errorCodeOf } from './kernel/error-code.ts';
import { StoreUnavailable } from './kernel/store-unavailable.ts';
import { createLog } from './observe/log.ts';
import { completeSecrets } from './secrets.ts';
import { startSandbox } from './start-sandbox.ts';
import { onStopSignal } from './stop-signal.ts';
import { openDatabase } from './store/database.ts';
import { startEmbedded } from './store/embedded/embedded.ts';
import { migrate } from './store/migrate.ts';
import { tellUncaught } from './uncaught.ts';
import { unknownSettings } from './unknown-settings.ts';
import { VERSION } from './version.ts';
import { waitAtStart } from './wait-at-start.ts';
import { waitAtStop } from './wait-at-stop.ts';
import { welcome } from './welcome.ts';

/** The SQLSTATEs of what a role of PostgreSQL may not do, and of having no schema to make tables in. */
const NOT_OWNED = ['42501', '3F000'];
/** A table of that name is there already, or is another one than ours. */
const NAME_TAKEN = ['42P07', '42703'];
/** Kept of the stop's budget when it drains: attempts at endpoints get 5 s afterwards. */
const CLOSING_MS = 10_000;
/** Kept of it for what comes last: the sandbox, which is killed after 3 s, and the embedded database. */
const LAST_MS = 4_000;
/** For a statement of a start that fails or is told to stop: the database rolls it back, and the next start begins it again. */
const UNSTARTED_MS = 1_000;

/**
 * Runs the gateway until it is told to stop, then ends the process: with code 0, or 1 and a sentence if it failed. By the time it
 * returns it listens for signals.
 */
export async function runGateway(): Promise<never> {
  try {
    await main();
    process.exit(0);
  } catch (error) {
    // Faults of settings and circumstances are told in a sentence. Only our own show where they come from.
    console.error(error instanceof TypeError || error instanceof RangeError ? error : String(error));
    process.exit(1);
  }
}

/** The process: settings, database, sandbox, listeners; then the way back in the opposite order. */
async function main(): Promise<void> {
  const config = loadConfig();
  const log = createLog(config.logLevel);
  tellUncaught(log);
  const unknown = unknownSettings(process.env);
  if (unknown.length > 0) log.warn({ names: unknown }, 'settings.unknown');
  const secrets = completeSecrets(config);
  const undo: (() => Promise<void>)[] = [];
  const stop = onStopSignal(config.stopBudgetMs);
  let started = false;
  try {
    const { dataDir, databaseUrl, databaseWaitMs } = config;
    checkDatabaseUrl(databaseUrl);
    const ownServer = { dataDir, log: plainLog(log), stopping: stop.signal };
    const embedded = databaseUrl === undefined ? await startEmbedded(ownServer) : undefined;
    undo.push(async () => embedded?.stop());
    const database = openDatabase({
      connection: embedded?.connection ?? { url: databaseUrl ?? '' },
      connections: config.databaseConnections,
      onError: (error) => log.warn({ err: error }, 'database.connection_lost'),
    });
    undo.push(() => {
      const untilMs = started ? stop.untilKept(LAST_MS) : performance.now() + UNSTARTED_MS;
      return waitAtStop(log, 'database', database.close(), untilMs);
    });
    const print = config.production ? undefined : console.log;
    const runStep = waitAtStart({ log, print, limitMs: databaseWaitMs, stopping: stop.signal });
    await runStep(() => migrate(database)).catch((error: unknown) => tellDatabase(error, databaseUrl));
    stop.signal.throwIfAborted();

    const { sandboxPort: port } = config;
    const ownSandbox = { port, appSecret: secrets.sandboxAppSecret, dataDir, log: plainLog(log) };
    const sandbox = config.sandbox ? await startSandbox(ownSandbox) : undefined;
    undo.push(async () => sandbox?.stop());
    const app = await createApp({ config, secrets, database, log, sandboxUrl: sandbox?.url, runStep });
    undo.push(() => app.close(stop.untilKept(LAST_MS)));
    undo.push(() => app.drain(stop.untilKept(CLOSING_MS)));

    const listened = await listen(app.server, config.host, config.port, 'PORT');
    // Listening comes before taking work, which may be much later: probes and scrapes are told that it starts.
    const internalUrl =
      config.metricsPort === undefined
        ? undefined
        : await listen(app.internalServer, config.host, config.metricsPort, 'WAYPOST_METRICS_PORT');
    const baseUrl = config.publicUrl ?? listened;
    // Before it is ready: a script that waits for that finds the file with the keys.
    const dev = config.production
      ? undefined
      : await runStep(() => prepareDemo({ database, app, secrets, dataDir, baseUrl, sandboxUrl: sandbox?.url }));
    if (config.production) await runStep(() => warnOfDemo({ database, dataDir, log }));
    await app.begin(listened);
    started = true;
    await sandbox?.register(`${listened}/api/messaging/webhook`);
    const startMs = Math.round(performance.now());
    const addresses = { url: baseUrl, listens_on: listened, internal_url: internalUrl };
    log.info({ ...addresses, version: VERSION, start_ms: startMs }, 'gateway.ready');
    if (dev !== undefined) console.log(welcome(dev, dataDir));
    await stop.asked;
    log.info('gateway.stopping');
    print?.('Stopping: finishing what is under way.');
    app.announceStop();
    await wait(config.stopNoticeMs);
  } catch (error) {
    // It was told to stop before it had started. Nothing is under way.
    if (error !== stop.signal.reason) throw error;
  } finally {
    await runAll(undo.reverse());
    log.info('gateway.stopped');
  }
}

/**
 * The driver would not name the setting, and takes something else for an address of PostgreSQL. A URL without a host, as for a
 * socket, is good, and so is the path of a socket.
 */
function checkDatabaseUrl(url: string | undefined): void {
  if (url === undefined || url.startsWith('/')) return;
  if (/^\w+:\/\/([^/]*@)?[^/@]*,[^@]*$/.test(url))
    throw new Error('DATABASE_URL must name one host, which leads to the primary: lists of hosts are not understood.');
  const parsed = /^postgres(ql)?:\/\//i.test(url) ? URL.parse(url.replace('@/', '@localhost/')) : null;
  // The end of a password with such a sign in it: what stands before would be looked up, and told, as the name of a host.
  if (parsed === null || `${parsed.pathname}${parsed.search}`.includes('@') || parsed.hash !== '')
    throw new Error(
      'DATABASE_URL is not well formed. It must look like postgresql://user:password@host:5432/database, with every ' +
        'sign of the password that is no letter or digit percent-encoded.',
    );
}

function tellDatabase(error: unknown, url: string | undefined): never {
  if (url === undefined) throw error;
  const code = errorCodeOf(error) ?? '';
  if (NOT_OWNED.includes(code) && error instanceof Error)
    throw new Error(`DATABASE_URL must name a database that its user owns: ${error.message}`, { cause: error });
  if (NAME_TAKEN.includes(code) && error instanceof Error)
    throw new Error(`DATABASE_URL must name a database that nothing else has tables in: ${error.message}`, {
      cause: error,
    });
  if (!(error instanceof StoreUnavailable)) throw error;
  throw new Error(`DATABASE_URL must name a database that can be used. ${error.message}`, { cause: error });
}

/** Runs all steps, one after another, although one fails: the rest must not be left running. Then throws the first fault. */
async function runAll(steps: readonly (() => Promise<void>)[]): Promise<void> {
  const faults: unknown[] = [];
  for (const step of steps) await step().catch((fault: unknown) => faults.push(fault));
  if (faults.length > 0) throw faults[0];
}

const HOST_FAULTS = ['ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL', 'EINVAL'];

/** Returns an address that can be called. Throws a sentence for the operator if it cannot listen there. */
async function listen(server: App['server'], host: string, port: number, setting: string): Promise<string> {
  try {
    // Fastify tells 127.0.0.1 for 0.0.0.0. `[::]` cannot be called from Windows and by browsers either.
    return (await server.listen({ host, port })).replace('//[::]:', '//[::1]:');
  } catch (error) {
    const code = errorCodeOf(error) ?? '';
    if (code === 'EADDRINUSE')
      throw new Error(`Port ${port} of ${host} is taken. Stop what listens there, or choose another ${setting}.`);
    if (code === 'EACCES')
      throw new Error(`This user may not listen on port ${port} of ${host}. Choose another ${setting}.`);
    if (HOST_FAULTS.includes(code))
      throw new Error(`HOST must be an address of this machine, and ${host} is none (${code}).`);
    throw error;
  }
}

function plainLog(log: Logger) {
  return {
    info: (message: string) => log.info(message),
    warn: (message: string) => log.warn(message),
    error: (message: string) => log.error(message),
  };
}
