import { type ChildProcess, spawn } from 'node:child_process';
import { open, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Binaries } from './binaries.ts';
import { type PidFile, readPidFile } from './pid-file.ts';
import { type RunAs, undefinedIfMissing } from './place.ts';

/** What a running server needs. */
export interface ServerOptions {
  binaries: Binaries;
  clusterDir: string;
  logFile: string;
  runAs: RunAs | undefined;
  /** `name=value`, as on the server's command line. */
  settings: string[];
}

export interface Server {
  /** Resolves when the server is gone, whoever ended it. */
  readonly exited: Promise<void>;
  /** Ends it with a fast shutdown and waits. May be called again, and after it is gone. */
  stop(): Promise<void>;
}

/** After a crash the server replays its log first: up to `max_wal_size` of it. */
const READY_TIMEOUT_MS = 300_000;
const READY_POLL_MS = 10;
/** How often it is looked whether the server can still be reached. */
const WATCH_EVERY_MS = 5_000;
/** A fast shutdown writes all that is in memory; when this is over, an immediate one leaves that to the next start. */
const FAST_STOP_MS = 60_000;
/** Of its own processes it kills after 5 s what does not end. */
const IMMEDIATE_STOP_MS = 10_000;
/** The log of the start before is kept too. */
const LOG_BYTES_MAX = 1_000_000;
const LOG_TAIL_CHARS = 2_000;
/**
 * Each of our statements takes and frees some hundred kB. The C library of Linux gives them back to the kernel each time, and the
 * next statement has all its pages made and cleared anew: a tenth of the server's processor time under load. These keep up to
 * 8 MiB a connection instead (mallopt(3)); elsewhere nobody reads them.
 */
const KEPT_MEMORY = {
  MALLOC_TOP_PAD_: String(1024 ** 2),
  MALLOC_TRIM_THRESHOLD_: String(8 * 1024 ** 2),
  MALLOC_MMAP_THRESHOLD_: String(4 * 1024 ** 2),
};

/**
 * Starts a server and waits until it takes connections, which `stopping` ends. It gets a process group of its own: a
 * Ctrl-C in the terminal reaches the gateway only, which stops it when it has drained.
 */
export async function startServer(options: ServerOptions, stopping: AbortSignal): Promise<Server> {
  const { binaries, clusterDir, logFile, runAs, settings } = options;
  if (((await stat(logFile).catch(undefinedIfMissing))?.size ?? 0) > LOG_BYTES_MAX)
    await rename(logFile, `${logFile}.1`);
  const log = await open(logFile, 'a', 0o600);
  const child = spawn(join(binaries.dir, 'postgres'), ['-D', clusterDir, ...settings.flatMap((pair) => ['-c', pair])], {
    ...runAs,
    cwd: clusterDir,
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
    env: serverEnvironment(),
  });
  const exited = waitForExit(child);
  await log.close();
  // A gateway that ends without stopping it must not hang: the next start finds it.
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

/** Nothing of ours: the environment holds secrets, and PG... variables that would change what the server does. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  const { PATH, SystemRoot } = process.env;
  return { PATH, LC_ALL: 'C', TZ: 'UTC', ...KEPT_MEMORY, ...(SystemRoot === undefined ? {} : { SystemRoot }) };
}

/**
 * This process may end without going all the way back, by a second signal or a fault. The server is told to end then, for which
 * nobody waits: in a process group of its own it would hear of nothing, and run on until the next start.
 */
function stopWithProcess(child: ChildProcess, exited: Promise<void>): void {
  const stop = () => child.kill('SIGINT');
  process.once('exit', stop);
  void exited.then(() => process.off('exit', stop));
}

/** Never rejects; a process that could not be started has exited. */
async function waitForExit(child: ChildProcess): Promise<void> {
  await new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
}

async function waitUntilReady(
  child: ChildProcess,
  exited: Promise<void>,
  options: ServerOptions,
  stopping: AbortSignal,
): Promise<void> {
  const deadline = performance.now() + READY_TIMEOUT_MS;
  let gone = false;
  void exited.then(() => {
    gone = true;
  });
  while (!gone && !stopping.aborted && performance.now() < deadline) {
    if ((await readOwnPidFile(child, options))?.state === 'ready') return;
    await delay(READY_POLL_MS);
  }
  // It has nothing to write yet, and one that hangs does not hear a fast shutdown.
  if (!gone) await endServer(child, exited);
  const tail = (await readFile(options.logFile, 'utf8')).slice(-LOG_TAIL_CHARS);
  throw new Error(`The embedded PostgreSQL did not start. The end of ${options.logFile}:\n${tail}`);
}

/**
 * A plain `kill` has the server wait until all its clients are gone, and refuse new ones meanwhile. Ours stay for as
 * long as there is work, so it would be neither there nor gone. Without its socket file nobody finds it.
 */
function stopIfOutOfReach(child: ChildProcess, { exited, stop }: Server, options: ServerOptions): void {
  const look = async () => {
    const file = await readOwnPidFile(child, options);
    if (file === undefined) return;
    if (file.state === 'stopping' || (await hasLostSocket(file))) await stop();
  };
  // What cannot be read in this moment is read at the next look.
  const watch = setInterval(() => void look().catch(() => undefined), WATCH_EVERY_MS).unref();
  void exited.then(() => clearInterval(watch));
}

async function hasLostSocket({ port, socketDir }: PidFile): Promise<boolean> {
  if (socketDir === '') return false;
  return (await stat(join(socketDir, `.s.PGSQL.${port}`)).catch(undefinedIfMissing)) === undefined;
}

/** What the server has written down; undefined where the file is missing, or still that of another one. */
async function readOwnPidFile(child: ChildProcess, { clusterDir }: ServerOptions): Promise<PidFile | undefined> {
  const file = await readPidFile(clusterDir);
  return file?.pid === child.pid ? file : undefined;
}

async function stopServer(child: ChildProcess, exited: Promise<void>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.ref();
  child.kill('SIGINT');
  const inTime = await Promise.race([exited.then(() => true), delay(FAST_STOP_MS, false, { ref: false })]);
  if (!inTime) await endServer(child, exited);
}

/** An immediate shutdown, or none: the next start recovers what it did, and ends what it leaves. */
async function endServer(child: ChildProcess, exited: Promise<void>): Promise<void> {
  child.ref();
  child.kill('SIGQUIT');
  const kill = setTimeout(() => child.kill('SIGKILL'), IMMEDIATE_STOP_MS);
  // Not the event: it may have come in this very moment, and would never come again.
  await exited;
  clearTimeout(kill);
}
