import { once } from 'node:events';
import { chmod, chown, copyFile, cp, mkdir, open, readdir, rm, writeFile } from 'node:fs/promises';
import { createConnection, Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { Client, DatabaseError } from 'pg';
import { errorCodeOf } from '../../kernel/error-code.ts';
import { flushFolder } from '../../kernel/flush-folder.ts';
import { isInProc } from '../../kernel/in-proc.ts';
import { isAlive } from '../../kernel/is-alive.ts';
import { EMBEDDED_USER } from './address.ts';
import { type Embedded, type EmbeddedLog, startEmbedded } from './embedded.ts';
import { type PidFile, readPidFile } from './pid-file.ts';
import { findPlace, type RunAs, undefinedIfMissing } from './place.ts';

/** A temporary slot: the server keeps the log that the copy needs for as long as our connection lives, and no longer if we crash. */
const SLOT = 'waypost_backup';
/** The SQLSTATE of a name that is taken. */
const TAKEN = '42710';
/** The SQLSTATEs of a server that is being stopped, or has crashed. */
const STOPPED = /^57P/;
/** Folders whose contents the server makes anew, and files that belong to a running server. Neither is copied. */
const EMPTY_DIRS = new Set([
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
]);
const LEFT_OUT = new Set(['postmaster.pid', 'postmaster.opts', 'backup_label', 'tablespace_map']);
/** The secrets of the data folder that are not in the database. Without them sealed tokens cannot be opened. */
const SECRET_FILES = ['secrets.json', 'dev.json'];

/**
 * Copies the embedded database and the secrets of a data folder to a new folder, from which a gateway starts as from
 * the old one. Works while a gateway runs on the data folder; otherwise it starts the server for as long as it takes. When
 * `stopping` is aborted it takes away what it has copied, and throws the signal's reason. Returns the moment up to which everything that was
 * committed is in the copy; of what came later, some may be.
 */
export async function backUpEmbedded(
  dataDir: string,
  targetDir: string,
  log: EmbeddedLog,
  stopping: AbortSignal = new AbortController().signal,
): Promise<Date> {
  const [from, to] = [resolve(dataDir), resolve(targetDir)];
  const place = await findPlace(from);
  if (place === undefined) throw new Error(`There is no embedded database in ${from}.`);
  const { baseDir, clusterDir, runAs } = place;
  const takeBack = await makeTarget(to, runAs);
  let upTo: Date;
  try {
    const own = (await isServing(clusterDir)) ? undefined : await startEmbedded({ dataDir: from, log, stopping });
    try {
      const { client, broken } = await connect(clusterDir, own, stopping);
      const ending = AbortSignal.any([stopping, broken]);
      upTo = await copyCluster({ clusterDir, targetDir: join(to, 'postgres', 'cluster'), runAs, ending }, client);
      if (process.platform === 'win32') await copyFile(join(baseDir, 'password'), join(to, 'postgres', 'password'));
    } finally {
      await own?.stop();
    }
    for (const file of SECRET_FILES) await copyIfThere(join(from, file), join(to, file));
    await flushTree(to);
    stopping.throwIfAborted();
    return upTo;
  } catch (error) {
    await takeBack();
    // What comes of the stop is no fault of its own.
    stopping.throwIfAborted();
    throw error;
  }
}

/**
 * Makes the folder of the backup, which must be new or empty, so that two backups never mix. If we are root, the user who runs the server
 * must be able to pass through it. Returns what removes everything that was made in it: otherwise half a backup would stand in the way of
 * the next one. It leaves the folders above alone, because others may have put files there meanwhile.
 */
async function makeTarget(dir: string, runAs: RunAs | undefined): Promise<() => Promise<void>> {
  if (isInProc(dir)) throw new Error(`${dir} must be a folder that can be written to, and none in /proc.`);
  const made = await mkdir(dir, { recursive: true });
  if ((await readdir(dir)).length > 0) throw new Error(`${dir} is not empty. Name a folder that does not exist yet.`);
  const mode = runAs === undefined ? 0o700 : 0o711;
  await chmod(dir, mode);
  await mkdir(join(dir, 'postgres'), { mode });
  await chmod(join(dir, 'postgres'), mode);
  return async () => {
    const all = made === undefined ? (await readdir(dir)).map((name) => join(dir, name)) : [dir];
    for (const path of all) await rm(path, { recursive: true, force: true });
  };
}

async function isServing(clusterDir: string): Promise<boolean> {
  const file = await readPidFile(clusterDir);
  return file !== undefined && isAlive(file.pid) && file.state === 'ready' && (await takesConnections(file));
}

/**
 * After a power cut, or in a new container, the process id of a killed server may be that of any other process. A server that hangs takes
 * connections. On Windows there is no socket to try.
 */
async function takesConnections({ port, socketDir }: PidFile): Promise<boolean> {
  if (socketDir === '') return true;
  const socket = createConnection(join(socketDir, `.s.PGSQL.${port}`));
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false; // Nobody listens there. If it is for another reason, the server that is started instead says so.
  } finally {
    socket.destroy();
  }
}

/**
 * A running server writes down in its `postmaster.pid` where it listens. `broken` is aborted when the connection breaks, as when the gateway
 * stops its server: what was copied until then can no longer be made whole. A stop breaks the connection too: a server that hangs would be
 * waited for without an end.
 */
async function connect(
  clusterDir: string,
  own: Embedded | undefined,
  stopping: AbortSignal,
): Promise<{ client: Client; broken: AbortSignal }> {
  const { port = 0, socketDir = '' } = (await readPidFile(clusterDir)) ?? {};
  const stream = () => new Socket({ signal: stopping });
  const client =
    own !== undefined && 'url' in own.connection
      ? new Client({ connectionString: own.connection.url, stream })
      : new Client({ host: socketDir, port, user: EMBEDDED_USER, database: 'postgres', stream });
  const broken = new AbortController();
  client.on('error', (cause) => broken.abort(stoppedMeanwhile(cause)));
  await client.connect();
  return { client, broken: broken.signal };
}

interface Copying {
  clusterDir: string;
  targetDir: string;
  runAs: RunAs | undefined;
  /** When it is aborted, the copying ends and throws its reason. */
  ending: AbortSignal;
}

/**
 * Makes a base backup as PostgreSQL describes it. Files may change while they are copied; the log, which is copied last, makes them whole.
 * https://www.postgresql.org/docs/current/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP
 */
async function copyCluster({ clusterDir, targetDir, runAs, ending }: Copying, client: Client): Promise<Date> {
  try {
    await takeSlot(client);
    await client.query('select pg_backup_start($1, true)', ['waypost']);
    await copyTree(clusterDir, targetDir, runAs, ending);
    // `now()` is when this statement begins, and so before the backup ends.
    const { rows } = await client.query<{ labelfile: string; last: string; at: Date }>(
      'select labelfile, pg_walfile_name(lsn) as last, now() as at from pg_backup_stop(false)',
    );
    const [{ labelfile: label, last, at } = { labelfile: '', last: '', at: new Date(0) }] = rows;
    await writeOwned(join(targetDir, 'backup_label'), label, runAs);
    const first = /^START WAL LOCATION: \S+ \(file ([0-9A-F]{24})\)/m.exec(label)?.[1];
    if (first === undefined) throw new Error('PostgreSQL did not say where the backup begins');
    for (const file of await readdir(join(clusterDir, 'pg_wal')))
      if (/\.history$/.test(file) || (/^[0-9A-F]{24}$/.test(file) && file >= first && file <= last))
        await copyOwned(join(clusterDir, 'pg_wal', file), join(targetDir, 'pg_wal', file), runAs);
    return at;
  } catch (error) {
    ending.throwIfAborted();
    // A server that is stopped while it is asked something says so in its answer, and breaks the connection only then.
    if (error instanceof DatabaseError && STOPPED.test(error.code ?? '')) throw stoppedMeanwhile(error);
    throw error;
  } finally {
    await client.end();
  }
}

function stoppedMeanwhile(cause: Error): Error {
  return new Error(`The database stopped while it was copied: ${cause.message}.`, { cause });
}

async function takeSlot(client: Client): Promise<void> {
  try {
    await client.query('select pg_create_physical_replication_slot($1, true, true)', [SLOT]);
  } catch (error) {
    if (errorCodeOf(error) !== TAKEN) throw error;
    throw new Error('Another backup of this database is being made. Wait until it has ended.', { cause: error });
  }
}

async function copyTree(from: string, to: string, runAs: RunAs | undefined, ending: AbortSignal): Promise<void> {
  await makeOwned(to, runAs);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    ending.throwIfAborted();
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isFile() && !LEFT_OUT.has(entry.name)) await copyOwned(source, target, runAs);
    if (!entry.isDirectory() || entry.name.startsWith('pgsql_tmp')) continue;
    if (!EMPTY_DIRS.has(entry.name)) await copyTree(source, target, runAs, ending);
    else await makeOwned(target, runAs);
  }
}

async function makeOwned(dir: string, runAs: RunAs | undefined): Promise<void> {
  await mkdir(dir, { mode: 0o700 });
  await own(dir, runAs);
}

/** A table that is dropped during the copy takes its files with it. That is no fault: the log records the drop too. */
async function copyOwned(from: string, to: string, runAs: RunAs | undefined): Promise<void> {
  try {
    await copyFile(from, to);
  } catch (error) {
    undefinedIfMissing(error);
    return;
  }
  await own(to, runAs);
}

async function writeOwned(path: string, text: string, runAs: RunAs | undefined): Promise<void> {
  await writeFile(path, text, { mode: 0o600 });
  await own(path, runAs);
}

async function own(path: string, runAs: RunAs | undefined): Promise<void> {
  if (runAs !== undefined) await chown(path, runAs.uid, runAs.gid);
}

async function copyIfThere(from: string, to: string): Promise<void> {
  try {
    await cp(from, to);
  } catch (error) {
    undefinedIfMissing(error);
    return;
  }
  await chmod(to, 0o600);
}

/** Once the backup is reported as done, it must survive a power cut. */
async function flushTree(dir: string): Promise<void> {
  for (const entry of await readdir(dir, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) await flushFile(path);
    else if (entry.isDirectory()) flushFolder(path);
  }
  flushFolder(dir);
}

async function flushFile(path: string): Promise<void> {
  const handle = await open(path, 'r+');
  await handle.sync().finally(() => handle.close());
}
