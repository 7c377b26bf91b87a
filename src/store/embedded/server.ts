import { type ChildProcess, spawn } from 'node:child_process';
import { open, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type PidFile, readPidFile } from './pid-file.ts';
import { type RunAs, undefinedIfMissing } from './place.ts';

/** What a running server needs. */
export interface ServerOptions {
  /** The folder of `postgres`. */
  binDir: string;
  clusterDir: string;
  logFile: string;
  runAs: RunAs | undefined;
  /** `name=value`, as on the server's command line. */
  settings: string[];
}

export interface Server {
  /** Resolves when the server is gone, whoever ended it. */
  readonly exited: Promise<unknown>;
  /** Ends it with a fast shutdown and waits. May be called again, and after it is gone. */
  stop(): Promise<void>;
}

/** Long, because after a crash the server first replays its log: up to `max_wal_size` of it. */
const READY_TIMEOUT_MS = 300_000;
const READY_POLL_MS = 10;
/** How often we look whether the server can still be reached. */
const WATCH_EVERY_MS = 5_000;
/**
 * How long a fast shutdown may take, which writes everything in memory to the disk. After that comes an immediate one, which leaves this
 * work to the next start.
 */
const FAST_STOP_MS = 60_000;
/** In an immediate shutdown the server kills its own processes after 5 s if they have not ended. */
const IMMEDIATE_STOP_MS = 10_000;
/** A longer log is put aside at a start. The one before it is kept too. */
const LOG_BYTES_MAX = 1_000_000;
const LOG_TAIL_CHARS = 2_000;
/**
 * Settings of the C library of Linux (mallopt(3)); on other systems nobody reads them. Each of our statements takes and frees some hundred
 * kB. By default the library gives them back to the kernel each time, and for the next statement all these pages are made and cleared
 * again: a tenth of the server's processor time under load. With these settings it keeps up to 8 MiB for each connection.
 */
const KEPT_MEMORY = {
  MALLOC_TOP_PAD_: String(1024 ** 2),
  MALLOC_TRIM_THRESHOLD_: String(8 * 1024 ** 2),
  MALLOC_MMAP_THRESHOLD_: String(4 * 1024 ** 2),
};

/**
 * Starts a server and waits until it takes connections; `stopping` ends the wait. The server gets a process group of its own. So a Ctrl-C
 * in the terminal reaches only the gateway, which stops the server when it has drained.
 */
export async function startServer(options: ServerOptions, stopping: AbortSignal): Promise<Server> {
  const { binDir, clusterDir, logFile, runAs, settings } = options;
  if (((await stat(logFile).catch(undefinedIfMissing))?.size ?? 0) > LOG_BYTES_MAX)
    await rename(logFile, `${logFile}.1`);
  const log = await open(logFile, 'a', 0o600);
  const child = spawn(join(binDir, 'postgres'), ['-D', clusterDir, ...settings.flatMap((pair) => ['-c', pair])], {
    ...runAs,
    cwd: clusterDir,
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
    env: serverEnvironment(),
  });
  const exited = waitForExit(child);
  await log.close();
  // A gateway that ends without stopping its server must not wait for it: the next start finds the server.
  child.unref();
  stopWithProcess(child, exited);
  await waitUntilReady(child, exited, options, stopping);
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= stopServer(child, exited);
    return stopped;
  };
  stopIfOutOfReach(child, { exited, stop }, options);
  return { exited, stop };
}

/** Passes on nothing of ours: the environment holds secrets, and PG... variables that would change what the server does. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  const { PATH, SystemRoot } = process.env;
  return { PATH, LC_ALL: 'C', TZ: 'UTC', ...KEPT_MEMORY, ...(SystemRoot === undefined ? {} : { SystemRoot }) };
}

/**
 * Tells the server to end when this process ends without an orderly stop, by a second signal or a fault. Nobody waits for that. Since the
 * server has a process group of its own, it would otherwise hear nothing, and run until the next start.
 */
function stopWithProcess(child: ChildProcess, exited: Promise<unknown>): void {
  const stop = () => child.kill('SIGINT');
  process.once('exit', stop);
  void exited.then(() => process.off('exit', stop));
}

/** Never rejects. A process that could not be started counts as exited, and the error is returned. */
function waitForExit(child: ChildProcess): Promise<Error | undefined> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve(undefined));
    child.once('error', resolve);
  });
}

async function waitUntilReady(
  child: ChildProcess,
  exited: Promise<Error | undefined>,
  options: ServerOptions,
  stopping: AbortSignal,
): Promise<void> {
  const deadline = performance.now() + READY_TIMEOUT_MS;
  let gone = false;
  let fault: Error | undefined;
  void exited.then((error) => {
    gone = true;
    fault = error;
  });
  while (!gone && !stopping.aborted && performance.now() < deadline) {
    if ((await readOwnPidFile(child, options))?.state === 'ready') return;
    await delay(READY_POLL_MS);
  }
  // An immediate shutdown: the server has nothing to write yet, and does not hear a fast one if it hangs.
  if (!gone) await endServer(child, exited);
  // The log is that of an earlier server then.
  if (fault !== undefined) throw new Error(`The embedded PostgreSQL did not start: ${fault.message}`, { cause: fault });
  const tail = (await readFile(options.logFile, 'utf8')).slice(-LOG_TAIL_CHARS);
  throw new Error(`The embedded PostgreSQL did not start. The end of ${options.logFile}:\n${tail}`);
}

/**
 * Stops the server when it can no longer be reached. That happens by a plain `kill`: the server then waits until all its clients are gone,
 * and refuses new ones. Our connections stay for as long as there is work, so the server would be neither up nor gone. Without its socket
 * file nobody can find it either.
 */
function stopIfOutOfReach(child: ChildProcess, { exited, stop }: Server, options: ServerOptions): void {
  const look = async () => {
    const file = await readOwnPidFile(child, options);
    if (file === undefined) return;
    if (file.state === 'stopping' || (await hasLostSocket(file))) await stop();
  };
  // If the file cannot be read in this moment, the next look reads it.
  const watch = setInterval(() => void look().catch(() => undefined), WATCH_EVERY_MS).unref();
  void exited.then(() => clearInterval(watch));
}

async function hasLostSocket({ port, socketDir }: PidFile): Promise<boolean> {
  if (socketDir === '') return false;
  return (await stat(join(socketDir, `.s.PGSQL.${port}`)).catch(undefinedIfMissing)) === undefined;
}

/** What this server has written down; undefined if the file is missing, or is still that of an earlier server. */
async function readOwnPidFile(child: ChildProcess, { clusterDir }: ServerOptions): Promise<PidFile | undefined> {
  const file = await readPidFile(clusterDir);
  return file?.pid === child.pid ? file : undefined;
}

async function stopServer(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.ref();
  child.kill('SIGINT');
  const inTime = await Promise.race([exited.then(() => true), delay(FAST_STOP_MS, false, { ref: false })]);
  if (!inTime) await endServer(child, exited);
}

/** Ends the server by an immediate shutdown, or kills it. The next start recovers the data, and ends the processes that are left. */
async function endServer(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  child.ref();
  child.kill('SIGQUIT');
  const kill = setTimeout(() => child.kill('SIGKILL'), IMMEDIATE_STOP_MS);
  // The promise and not the event, which may have come in this very moment and would not come again.
  await exited;
  clearTimeout(kill);
}
