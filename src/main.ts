import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type App, createApp } from './app.ts';
import { type Config, loadConfig } from './config.ts';
import { tellDatabase } from './database-url.ts';
import { prepareDemo, warnOfDemo } from './demo.ts';
import { systemClock } from './kernel/clock.ts';
import type { RunStep } from './kernel/run-step.ts';
import { listen } from './listen.ts';
import { refuseLostClock } from './lost-clock.ts';
import { createLog } from './observe/log.ts';
import { completeSecrets, type Secrets } from './secrets.ts';
import { type RunningSandbox, startSandbox } from './start-sandbox.ts';
import { onStopSignal, type Stop } from './stop-signal.ts';
import { type Database, openDatabase } from './store/database.ts';
import { startEmbedded } from './store/embedded/embedded.ts';
import { type MigrateNews, migrate } from './store/migrate.ts';
import { refuseSharedSession } from './store/shared-session.ts';
import { tellNewInstallation, warnOfSurroundings } from './surroundings.ts';
import { tellUncaught } from './uncaught.ts';
import { unknownSettings } from './unknown-settings.ts';
import { VERSION } from './version.ts';
import { waitAtStart } from './wait-at-start.ts';
import { waitAtStop } from './wait-at-stop.ts';
import { welcome } from './welcome.ts';

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

/** What the steps of a start share. */
interface Start {
  config: Config;
  secrets: Secrets;
  log: Logger;
  stop: Stop;
  /** Prints a sentence for the person at the terminal; undefined in production. */
  print: ((sentence: string) => void) | undefined;
  /** Runs what needs the database, again while that is away. */
  runStep: RunStep;
  /** The way back. Each step adds what undoes it; the last one is undone first. */
  undo: (() => Promise<void>)[];
  /** Whether there is work to bring to an end. */
  started: boolean;
}

/** The process: settings, database, sandbox, listeners; then the way back in the opposite order. */
async function main(): Promise<void> {
  const start = readStart();
  const { config, log, stop, print } = start;
  try {
    const database = await startDatabase(start);
    const sandbox = await startOwnSandbox(start);
    const app = await startApp(start, database, sandbox?.url);
    await serve(start, { database, sandbox, app });
    await stop.asked;
    log.info('gateway.stopping');
    print?.('Stopping: finishing what is under way.');
    app.announceStop();
    await wait(config.stopNoticeMs);
  } catch (error) {
    // It was told to stop before it had started. Nothing is under way.
    if (error !== stop.signal.reason) throw error;
  } finally {
    await runAll(start.undo.reverse());
    log.info('gateway.stopped');
  }
}

function readStart(): Start {
  refuseLostClock(systemClock.nowMs());
  const config = loadConfig();
  const log = createLog(config.logLevel);
  tellUncaught(log);
  const unknown = unknownSettings(process.env);
  if (unknown.length > 0) log.warn({ names: unknown }, 'settings.unknown');
  const secrets = completeSecrets(config);
  const stop = onStopSignal(config.stopBudgetMs);
  const print = config.production ? undefined : console.log;
  // What is printed is lost where nobody reads any more, or on a full disk. That must neither end the gateway nor cut its stop short.
  process.stdout.on('error', () => undefined);
  const runStep = waitAtStart({ log, print, limitMs: config.databaseWaitMs, stopping: stop.signal });
  return { config, secrets, log, stop, print, runStep, undo: [], started: false };
}

/** The database that the settings name, or the embedded one; with the newest schema. */
async function startDatabase(start: Start): Promise<Database> {
  const { config, log, stop, runStep, undo } = start;
  const { dataDir, databaseUrl } = config;
  const ownServer = { dataDir, log: plainLog(log), stopping: stop.signal };
  const embedded = databaseUrl === undefined ? await startEmbedded(ownServer) : undefined;
  undo.push(async () => embedded?.stop());
  const connection = embedded?.connection ?? { url: databaseUrl ?? '' };
  const database = openDatabase({
    connection,
    connections: config.databaseConnections,
    onError: (error) => log.warn({ err: error }, 'database.connection_lost'),
  });
  undo.push(() => {
    const untilMs = start.started ? stop.untilKept(LAST_MS) : performance.now() + UNSTARTED_MS;
    return waitAtStop(log, 'database', database.close(), untilMs);
  });
  const migrated = runStep(() => migrate(database, undefined, tellMigrations(log)));
  const isNew = await migrated.catch((error: unknown) => tellDatabase(error, databaseUrl));
  stop.signal.throwIfAborted();
  if (embedded === undefined) await runStep(() => refuseSharedSession(database, connection));
  if (isNew) await runStep(() => tellNewInstallation(database, log, embedded && dataDir));
  await runStep(() => warnOfSurroundings(database, log));
  return database;
}

function tellMigrations(log: Logger): MigrateNews {
  return {
    waits: () => log.warn('migration.waits_for_locks'),
    applies: (migration) => log.info(migration, 'migration.applies'),
  };
}

async function startOwnSandbox({ config, secrets, log, stop, undo }: Start): Promise<RunningSandbox | undefined> {
  if (!config.sandbox) return undefined;
  const { sandboxPort: port, dataDir } = config;
  const options = { port, appSecret: secrets.sandboxAppSecret, dataDir, stopping: stop.signal };
  const sandbox = await startSandbox({ ...options, log: plainLog(log) });
  undo.push(() => sandbox.stop());
  return sandbox;
}

async function startApp(start: Start, database: Database, sandboxUrl: string | undefined): Promise<App> {
  const { config, secrets, log, stop, runStep, undo } = start;
  const app = await createApp({ config, secrets, database, log, sandboxUrl, runStep });
  undo.push(() => app.close(stop.untilKept(LAST_MS)));
  undo.push(() => app.drain(stop.untilKept(CLOSING_MS)));
  return app;
}

interface Served {
  database: Database;
  sandbox: RunningSandbox | undefined;
  app: App;
}

/** Listens, then takes work. */
async function serve(start: Start, { database, sandbox, app }: Served): Promise<void> {
  const { config, secrets, log, runStep } = start;
  const { host, dataDir } = config;
  // Listening comes before taking work, which may be much later: probes and scrapes are told that it starts.
  const listened = await listen(app.server, { host, port: config.port, setting: 'PORT' });
  app.listened(listened);
  const internalUrl =
    config.metricsPort === undefined
      ? undefined
      : await listen(app.internalServer, { host, port: config.metricsPort, setting: 'WAYPOST_METRICS_PORT' });
  const baseUrl = config.publicUrl ?? listened;
  // Before it is ready: a script that waits for that finds the file with the keys.
  const dev = config.production
    ? undefined
    : await runStep(() => prepareDemo({ database, app, secrets, dataDir, baseUrl, sandboxUrl: sandbox?.url }));
  if (config.production) await runStep(() => warnOfDemo({ database, dataDir, log }));
  await app.begin();
  start.started = true;
  await sandbox?.register(`${listened}/api/messaging/webhook`);
  const startMs = Math.round(performance.now());
  const addresses = { url: baseUrl, listens_on: listened, internal_url: internalUrl };
  log.info({ ...addresses, version: VERSION, start_ms: startMs }, 'gateway.ready');
  if (dev !== undefined) console.log(welcome(dev, dataDir));
}

/** Runs all steps, one after another, although one fails: the rest must not be left running. Then throws the first fault. */
async function runAll(steps: readonly (() => Promise<void>)[]): Promise<void> {
  const faults: unknown[] = [];
  for (const step of steps) await step().catch((fault: unknown) => faults.push(fault));
  if (faults.length > 0) throw faults[0];
}

function plainLog(log: Logger) {
  return {
    warn: (message: string) => log.warn(message),
    error: (message: string) => log.error(message),
  };
}
