import { chmod, mkdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { keepRunning } from '../../kernel/keep-running.ts';
import type { Connection } from '../database.ts';
import { loopbackAddress, socketAddress } from './address.ts';
import { findBinaries, findPackage } from './binaries.ts';
import { clusterMajor, makeCluster } from './cluster.ts';
import { endLeftovers } from './leftovers.ts';
import { lockDataDir } from './lock.ts';
import { stopOrphan } from './orphan.ts';
import { choosePlace, type Place } from './place.ts';
import { type Server, type ServerOptions, startServer } from './server.ts';

export interface EmbeddedLog {
  warn(message: string): void;
  error(message: string): void;
}

export interface EmbeddedOptions {
  dataDir: string;
  log: EmbeddedLog;
  /** When it is aborted, a start that is still under way ends, and throws the signal's reason. */
  stopping?: AbortSignal;
  /** False only for tests, where committed data need not survive a power cut. */
  durable?: boolean;
}

export interface Embedded {
  connection: Connection;
  /** Stops the server and frees the data folder. Call it last, when nobody uses the connection any more. */
  stop(): Promise<void>;
}

/** For a small machine that the server shares with the gateway. Everything else is as PostgreSQL has it by default. */
const SETTINGS = [
  'shared_buffers=128MB',
  'max_connections=100',
  // Whoever plans a statement on messages locks each of their weeks and all indexes of it until its transaction ends. With the usual 64, ten
  // connections had no room for that once messages were kept for ten years, the longest time there is. The server takes 11 MB more at its start for it.
  'max_locks_per_transaction=512',
  'jit=off',
  'checkpoint_timeout=15min',
  'max_wal_size=2GB',
  // When the server makes a new file of its log (16 MB), every commit waits until the file's zeros are on the disk. So the files that a
  // busy time has made are kept through a quiet night and used again. A gateway with little to do never makes many.
  'min_wal_size=512MB',
  // The tables of work in progress are small and change all the time.
  'autovacuum_naptime=15s',
  // When a process of the server dies, the whole server ends, and we start it again. If it recovered by itself instead, it could wait for
  // ever (seen with 18.4): it does not notice when its checkpointer dies again while the recovery begins, as on a full disk.
  'restart_after_crash=off',
  // The log says what the operator of the server must know, and shows nothing of the contents of statements.
  'log_min_messages=log',
  'log_min_error_statement=panic',
  'log_error_verbosity=terse',
  'log_checkpoints=off',
];
const DURABLE = ['fsync=on', 'synchronous_commit=on', 'full_page_writes=on'];
const NOT_DURABLE = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];

/**
 * Runs a PostgreSQL of our own on a data folder, which only one process may do at a time. Throws a sentence for the operator if that is not
 * possible. A server that ends by itself is started again.
 */
export async function startEmbedded({
  dataDir,
  log,
  stopping = NEVER,
  durable = true,
}: EmbeddedOptions): Promise<Embedded> {
  const dir = resolve(dataDir);
  await makeDataDir(dir);
  const locks = [await lockDataDir(dir)];
  const release = () => {
    for (const lock of locks) lock.release();
  };
  try {
    const place = await choosePlace(dir, log);
    if (dirname(place.baseDir) !== dir) locks.push(await lockDataDir(dir, place.baseDir));
    const { connection, stop } = await startIn(place, log, stopping, durable);
    let stopped: Promise<void> | undefined;
    return {
      connection,
      stop: () => {
        stopped ??= stop().finally(release);
        return stopped;
      },
    };
  } catch (error) {
    release();
    // If the start was stopped, throws that reason: an error that comes of the stop is no fault of its own.
    stopping.throwIfAborted();
    throw error;
  }
}

const NEVER = new AbortController().signal;

/** If we are root, the user who runs the server must be able to pass through the folder. The secrets in it are files of mode 0600. */
async function makeDataDir(dir: string): Promise<void> {
  const isRoot = process.getuid?.() === 0;
  const made = await mkdir(dir, { recursive: true });
  if (made !== undefined) await chmod(dir, isRoot ? 0o711 : 0o700);
  else if (isRoot) await chmod(dir, (await stat(dir)).mode | 0o001);
}

async function startIn(place: Place, log: EmbeddedLog, starting: AbortSignal, durable: boolean): Promise<Embedded> {
  const { baseDir, clusterDir, runAs } = place;
  const binDir = await findBinaries({
    baseDir,
    major: await clusterMajor(place),
    forOthers: runAs !== undefined,
    packageDir: findPackage(),
  });
  if (!place.clusterExists) await makeCluster(place, binDir, starting);
  const address = process.platform === 'win32' ? await loopbackAddress(baseDir) : await socketAddress(baseDir, runAs);
  const settings = [...SETTINGS, ...(durable ? DURABLE : NOT_DURABLE), ...address.settings];
  const options = { binDir, clusterDir, logFile: join(baseDir, 'server.log'), runAs, settings };
  let begun = false;
  const kept = await keepRunning(
    'The embedded PostgreSQL',
    (stopped) => {
      // A server that has been up once is needed until the stop, so `starting` no longer ends a restart.
      const stopping = begun ? stopped : AbortSignal.any([stopped, starting]);
      return startAlone(options, stopping, address.prepare, log);
    },
    log,
  ).catch(async (error: unknown) => {
    await address.remove();
    throw error;
  });
  begun = true;
  return {
    connection: address.connection,
    stop: async () => {
      await kept.stop();
      await address.remove();
    },
  };
}

async function startAlone(
  options: ServerOptions,
  stopping: AbortSignal,
  prepare: () => Promise<void>,
  log: EmbeddedLog,
): Promise<Server> {
  if (await stopOrphan(options.clusterDir)) log.warn('Stopped a PostgreSQL that an earlier Waypost had left running');
  if (await endLeftovers(options.clusterDir)) log.warn('Ended processes of a PostgreSQL that had been killed');
  await prepare();
  try {
    return await startServer(options, stopping);
  } catch (error) {
    // An earlier gateway may have been killed while it started its server: when we looked, that server had left no trace yet.
    if (!(await stopOrphan(options.clusterDir))) throw error;
    await prepare();
    return await startServer(options, stopping);
  }
}
