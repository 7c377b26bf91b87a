import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, rmSync, statfsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Connection, openDatabase } from '../../src/store/database.ts';
import { startEmbedded } from '../../src/store/embedded/embedded.ts';
import { until } from '../../test/support/until.ts';
import { signalIfThere } from './signal.ts';

/** A run needs some 100 MB, and ends with a checkpoint. A disk of this size is filled in a moment, and each lane has one. */
const DISK_SIZE = '512m';
/** The server first recovers from its write-ahead log, and a machine under load is slow. */
const UP_WITHIN_MS = 60_000;
/** Enough for several runs: one with many faults writes a few hundred lines. */
const LOG_CHARS = 100_000;
const SILENT = { warn: () => {}, error: () => {} };

/** A PostgreSQL whose commits are durable, and that can be broken. When it ends it is started again, as in a gateway. */
export interface Postgres {
  connection: Connection;
  /** Whether its data are on a disk of its own that can be filled. */
  smallDisk: boolean;
  /** Kills the server's first process, with which all others end. */
  kill(): void;
  /** Ends the server by a fast shutdown. */
  shutDown(): void;
  fillDisk(): void;
  freeDisk(): void;
  /** The end of the server's log. */
  endOfLog(): string;
  /** Resolves when the server answers. After a fault it may take a moment until it is back. */
  whenUp(): Promise<void>;
  stop(): Promise<void>;
}

export async function startPostgres(): Promise<Postgres> {
  const dataDir = await mkdtemp(join(tmpdir(), 'waypost-faults-'));
  const smallDisk = mountDisk(dataDir);
  const embedded = await startEmbedded({ dataDir, log: SILENT });
  const filler = join(dataDir, 'filler');
  return {
    connection: embedded.connection,
    smallDisk,
    kill: () => signalServer(dataDir, 'SIGKILL'),
    shutDown: () => signalServer(dataDir, 'SIGINT'),
    fillDisk: () => fillDisk(dataDir, filler),
    freeDisk: () => rmSync(filler, { force: true }),
    endOfLog: () => readFileSync(join(placeOf(dataDir), 'server.log'), 'utf8').slice(-LOG_CHARS),
    whenUp: () => waitUntilUp(embedded.connection),
    async stop() {
      rmSync(filler, { force: true });
      await embedded.stop();
      if (smallDisk) execFileSync('umount', [dataDir]);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function waitUntilUp(connection: Connection): Promise<void> {
  const database = openDatabase({ connection, connections: 1, onError: () => {} });
  const answers = () =>
    database.query('select 1').then(
      () => true,
      () => false,
    );
  await until(answers, UP_WITHIN_MS).finally(() => database.close());
}

/** Only root may mount, and not in every container. Without a disk of its own none can be filled, and no plan has that fault. */
function mountDisk(dir: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_SIZE},mode=0711`, 'waypost-faults', dir], {
      stdio: 'ignore',
    });
    return true;
  } catch {
    return false;
  }
}

/** The server writes meanwhile, so the room that was free may be taken. */
function fillDisk(dir: string, filler: string): void {
  for (;;) {
    const { bavail, bsize } = statfsSync(dir);
    if (bavail === 0) return;
    const { status, error } = spawnSync('fallocate', ['-l', String(bavail * bsize), filler], { stdio: 'ignore' });
    if (error !== undefined) throw error;
    if (status === 0) return;
  }
}

function signalServer(dataDir: string, signal: NodeJS.Signals): void {
  const pid = serverPid(dataDir);
  if (pid !== undefined) signalIfThere(pid, signal);
}

function serverPid(dataDir: string): number | undefined {
  try {
    const base = placeOf(dataDir);
    const pid = Number.parseInt(readFileSync(join(base, 'cluster', 'postmaster.pid'), 'utf8'), 10);
    return pid > 1 ? pid : undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** As root, if others may not enter the data folder, the server is elsewhere, and a file says where. */
function placeOf(dataDir: string): string {
  try {
    return readFileSync(join(dataDir, 'postgres-location'), 'utf8').trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return join(dataDir, 'postgres');
    throw error;
  }
}
