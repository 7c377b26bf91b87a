import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, readdirSync, readFileSync } from 'node:fs';
import {
  appendFile,
  chmod,
  chown,
  type FileHandle,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { until } from '../../../test/support/until.ts';
import { type Connection, openDatabase } from '../database.ts';
import { backUpEmbedded } from './backup.ts';
import { type Embedded, startEmbedded } from './embedded.ts';

const isRoot = process.getuid?.() === 0;
const onUnix = { skip: process.platform === 'win32' && 'Windows has no signals and no such folders' };
const onLinux = { skip: process.platform !== 'linux' && 'only Linux shows processes as files' };
const LIMITS = { ...onUnix, timeout: 400_000 };
const asRoot = { skip: !isRoot && 'only root has this trouble' };

/** It never waits for anything, and only a process that waits notices that its server is gone. */
const ENDLESS = 'select count(*) from (select generate_series(1, 1000000000000)) as numbers';

const SILENT = { warn() {}, error() {} };

let dataDir: string;
let running: Embedded[];
let messages: string[];

beforeEach(async () => {
  dataDir = await makeDataDir();
  running = [];
  messages = [];
});
afterEach(async () => {
  for (const embedded of running) await embedded.stop();
  await rm(dataDir, { recursive: true });
});

describe('the embedded server on a new data folder', LIMITS, () => {
  it('is made at the first start, keeps its data over a stop, and writes them to the disk at each commit', async () => {
    const first = await start();
    await query(first.connection, 'create table kept as select 42 as n');
    await first.stop();
    await first.stop();
    const second = await start();
    const rows = await query(
      second.connection,
      `select n, current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
        current_setting('listen_addresses') as listener, current_setting('server_encoding') as encoding from kept`,
    );
    assert.deepEqual(rows, [{ n: 42, fsync: 'on', commit: 'on', listener: '', encoding: 'UTF8' }]);
  });

  it('is not waited for by a start that is told to stop while the cluster is made', async () => {
    const stopping = new AbortController();
    const starting = startEmbedded({ dataDir, log: SILENT, stopping: stopping.signal });
    starting.catch(() => undefined);
    await until(async () => {
      const made = await readdir(join(dataDir, 'postgres')).catch(() => []);
      return made.some((name) => name.startsWith('cluster.new-'));
    });
    stopping.abort();
    await assert.rejects(starting, (error) => error === stopping.signal.reason);
    // Nothing of it is in the way of the next start.
    await start();
  });

  it('recovers from a first start that was cut off', async () => {
    await mkdir(join(dataDir, 'postgres', 'cluster.new-1234', 'base'), { recursive: true });
    await start();
    assert.deepEqual(
      (await readdir(join(dataDir, 'postgres'))).filter((name) => name.includes('new')),
      [],
    );
  });

  it('is kept elsewhere where nobody but root may enter, and found again', asRoot, async () => {
    const closed = join(dataDir, 'closed');
    await mkdir(closed, { mode: 0o700 });
    // A backup holds no lock. So it must not choose a place, in the very moment in which a start chooses one.
    await mkdir(join(closed, 'data'));
    const backedUp = backUpEmbedded(join(closed, 'data'), join(closed, 'copy'), SILENT);
    await assert.rejects(backedUp, /There is no embedded database/);
    assert.deepEqual(await readdir(join(closed, 'data')), []);
    const first = await start(join(closed, 'data'));
    await query(first.connection, 'create table kept as select 42 as n');
    await first.stop();
    const second = await start(join(closed, 'data'));
    assert.deepEqual(await query(second.connection, 'select n from kept'), [{ n: 42 }]);
    await second.stop();
    const location = join(closed, 'data', 'postgres-location');
    const elsewhere = (await readFile(location, 'utf8')).trim();
    assert.match(messages.join(), new RegExp(`is kept in ${elsewhere}`));
    await rm(elsewhere, { recursive: true });
    await writeFile(location, '\n');
    await assert.rejects(
      start(join(closed, 'data')),
      /postgres-location must name the folder of the embedded database/,
    );
  });
});

describe('the embedded server', LIMITS, () => {
  /** Makes a cluster once; each test gets a copy of it. */
  let madeDir: string;
  before(async () => {
    madeDir = await makeDataDir();
    await (await startEmbedded({ dataDir: madeDir, log: SILENT })).stop();
  });
  after(() => rm(madeDir, { recursive: true }));
  beforeEach(() => {
    // With its owner, which Node's own copying does not keep.
    execFileSync('cp', ['-a', join(madeDir, 'postgres'), dataDir]);
  });

  it('has its socket in a folder that no other user may enter', async () => {
    const { connection } = await start();
    assert.ok('socketDir' in connection);
    assert.equal((await stat(connection.socketDir)).mode & 0o777, 0o700);
  });

  it('refuses a second gateway on the same data folder, and names the first', async () => {
    await start();
    await assert.rejects(
      start(),
      new RegExp(`Another Waypost \\(process ${process.pid}\\) is running on the data folder`),
    );
    const other = startInProcess();
    const [code] = await once(other.child, 'exit');
    assert.equal(code, 1);
    assert.match(other.errors(), /Stop it first, or give this one its own folder/);
  });

  it('says which folder cannot be locked, and why', async () => {
    await mkdir(join(dataDir, 'lock'));
    await assert.rejects(
      start(),
      new RegExp(`The data folder ${dataDir} cannot be locked.*unable to open database file`),
    );
  });

  it('is taken over with all its data after its gateway was killed', async () => {
    const holder = startInProcess();
    const connection = await holder.connection;
    await query(connection, 'create table kept as select 42 as n');
    holder.child.kill('SIGKILL');
    await once(holder.child, 'exit');
    assert.deepEqual(await query(connection, 'select n from kept'), [{ n: 42 }], 'it runs on without its gateway');
    const next = await start();
    assert.deepEqual(await query(next.connection, 'select n from kept'), [{ n: 42 }]);
    assert.match(messages.join(), /Stopped a PostgreSQL that an earlier Waypost had left running/);
  });

  it('is taken over within seconds also where it hung in its recovery', async () => {
    const clusterDir = join(dataDir, 'postgres', 'cluster');
    // A recovery looks for this file first, and reading a pipe never ends.
    const file = join(clusterDir, 'backup_label');
    execFileSync('mkfifo', [file]);
    await chmod(file, 0o666);
    const holder = startInProcess();
    // A pipe cannot be opened for writing until somebody reads it.
    let pipe: FileHandle | undefined;
    await until(async () => {
      pipe = await open(file, constants.O_WRONLY | constants.O_NONBLOCK).catch(() => undefined);
      return pipe !== undefined;
    });
    holder.child.kill('SIGKILL');
    await once(holder.child, 'exit');
    await rm(file);
    const beganMs = performance.now();
    await start();
    assert.ok(performance.now() - beganMs < 30_000);
    await pipe?.close();
  });

  it('has one owner when several gateways start at once after a kill', async () => {
    const holder = startInProcess();
    await holder.connection;
    holder.child.kill('SIGKILL');
    await once(holder.child, 'exit');
    const starts = await Promise.allSettled([start(), start(), start()]);
    assert.equal(starts.filter(({ status }) => status === 'fulfilled').length, 1);
  });

  it('does not hear a Ctrl-C in the terminal, which reaches the whole group of its gateway', onLinux, async () => {
    await start();
    const pid = await serverPid();
    const status = await readFile(`/proc/${pid}/stat`, 'utf8');
    const [, , group] = status.slice(status.lastIndexOf(')') + 2).split(' ');
    assert.equal(Number(group), pid);
  });

  it('is started again when it is killed', async () => {
    const { connection } = await start();
    process.kill(await serverPid(), 'SIGKILL');
    await untilAnswered(connection);
  });

  it('is started again when it is told to end, and does not wait for those who are connected', async () => {
    const { connection } = await start();
    const database = openDatabase({ connection, connections: 1, onError: () => undefined });
    await database.query('select 1');
    process.kill(await serverPid(), 'SIGTERM');
    await untilAnswered(connection);
    await database.close();
  });

  it('is started again when its socket is gone, without which nobody can reach it', async () => {
    const { connection } = await start();
    assert.ok('socketDir' in connection);
    await rm(join(connection.socketDir, `.s.PGSQL.${connection.port}`));
    await untilAnswered(connection);
  });

  it('is started again when it is killed, also while one of its processes is too busy to notice', onLinux, async () => {
    const { connection } = await start();
    const database = openDatabase({ connection, connections: 2, onError: () => undefined });
    const busy = database.transaction((tx) => tx.query(ENDLESS), { statementTimeoutMs: 3_600_000 });
    const lost = assert.rejects(busy);
    await until(async () => {
      const found = await database.query('select from pg_stat_activity where query = $1', [ENDLESS]);
      return found.length > 0;
    });
    process.kill(await serverPid(), 'SIGKILL');
    await untilAnswered(connection);
    await lost;
    await database.close();
  });

  it('starts although the file with its process id is empty, as after a power cut in the middle of a start', async () => {
    const { uid, gid } = await stat(join(dataDir, 'postgres', 'cluster'));
    const pidFile = join(dataDir, 'postgres', 'cluster', 'postmaster.pid');
    await writeFile(pidFile, '', { mode: 0o600 });
    await chown(pidFile, uid, gid);
    await start();
  });

  it('is started anew when one of its processes dies: in its place it could wait for ever for another that dies', async () => {
    const { connection } = await start();
    const first = await serverPid();
    const [writer] = await query<{ pid: number }>(
      connection,
      `select pid from pg_stat_activity where backend_type = 'background writer'`,
    );
    process.kill(writer?.pid ?? 0, 'SIGKILL');
    await untilAnswered(connection);
    assert.notEqual(await serverPid(), first);
  });

  it('stops at once when it is gone already', async () => {
    const embedded = await start();
    process.kill(await serverPid(), 'SIGKILL');
    await embedded.stop();
    await start();
  });

  it('stops within seconds although the server hangs while it is started again', onLinux, async () => {
    const embedded = await start();
    const clusterDir = join(dataDir, 'postgres', 'cluster');
    const pid = await serverPid();
    // This file is read at each start, and reading a pipe never ends.
    const file = join(clusterDir, 'postgresql.auto.conf');
    await rm(file);
    execFileSync('mkfifo', [file]);
    await chmod(file, 0o666);
    process.kill(pid, 'SIGKILL');
    await until(() => pidsOf(clusterDir).some((other) => other !== pid));
    const beganMs = performance.now();
    await embedded.stop();
    assert.ok(performance.now() - beganMs < 30_000);
    // The processes that the killed server has left end by themselves, as soon as each of them has noticed.
    await until(() => pidsOf(clusterDir).length === 0);
  });

  it('starts although its left-over process id is now that of another process', async () => {
    const embedded = await start();
    const pidFile = join(dataDir, 'postgres', 'cluster', 'postmaster.pid');
    const text = await readFile(pidFile, 'utf8');
    const { uid, gid } = await stat(pidFile);
    await embedded.stop();
    const stranger = spawn('sleep', ['60'], isRoot ? { uid, gid } : {});
    try {
      await writeFile(pidFile, text.replace(/^\d+/, String(stranger.pid)), { mode: 0o600 });
      await chown(pidFile, uid, gid);
      await start();
      assert.equal(stranger.signalCode, null);
    } finally {
      stranger.kill();
    }
  });

  it('refuses a cluster of a version that is not here, and says what to do', async () => {
    await writeFile(join(dataDir, 'postgres', 'cluster', 'PG_VERSION'), '14\n');
    await assert.rejects(start(), /was made by PostgreSQL 14, and the one here is 18.*Install version 14, or dump/);
  });

  it('works in a folder whose path is too long for a socket, with spaces and quotes', async (t) => {
    const long = join(dataDir, `it's a "long", path `.repeat(3), 'x'.repeat(100));
    const embedded = await start(long);
    assert.equal((await query(embedded.connection, 'select 1')).length, 1);
    await embedded.stop();
    assert.ok('socketDir' in embedded.connection);
    await assert.rejects(stat(embedded.connection.socketDir), /ENOENT/);

    // The socket's folder is elsewhere and new at each start, so that one of a start that fails would stay for good.
    const { TMPDIR = '/tmp' } = process.env;
    t.after(() => Object.assign(process.env, { TMPDIR }));
    process.env.TMPDIR = dataDir;
    await appendFile(join(long, 'postgres/cluster/postgresql.conf'), 'nonsense = on\n');
    await assert.rejects(start(long), /did not start/);
    assert.deepEqual(
      (await readdir(dataDir)).filter((name) => name.startsWith('waypost-')),
      [],
    );
  });
});

async function makeDataDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'waypost-embedded-'));
  await chmod(dir, 0o711);
  return dir;
}

async function start(dir = dataDir): Promise<Embedded> {
  const note = (message: string) => messages.push(message);
  const embedded = await startEmbedded({ dataDir: dir, log: { warn: note, error: note } });
  running.push(embedded);
  return embedded;
}

/** Starts the server in a process of its own, as a gateway does. */
function startInProcess(): { child: ChildProcess; connection: Promise<Connection>; errors(): string } {
  const script = `
    import { startEmbedded } from ${JSON.stringify(new URL('embedded.ts', import.meta.url).href)};
    const log = { warn() {}, error() {} };
    const { connection } = await startEmbedded({ dataDir: process.argv[1], log });
    console.log(JSON.stringify(connection));
    setInterval(() => {}, 60_000);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script, dataDir]);
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const connection = once(child.stdout, 'data').then(([line]) => JSON.parse(String(line)));
  return { child, connection, errors: () => errors };
}

async function query<Row>(connection: Connection, sql: string): Promise<Row[]> {
  const database = openDatabase({ connection, connections: 1, onError: () => undefined });
  return await database.query<Row>(sql).finally(() => database.close());
}

/** Waits until a server that has ended is back. */
async function untilAnswered(connection: Connection): Promise<void> {
  await until(() => messages.some((message) => message.includes('ended by itself')));
  const database = openDatabase({ connection, connections: 1, onError: () => undefined });
  const answers = () =>
    database.query('select 1').then(
      () => true,
      () => false,
    );
  await until(answers).finally(() => database.close());
}

async function serverPid(): Promise<number> {
  return Number.parseInt(await readFile(join(dataDir, 'postgres', 'cluster', 'postmaster.pid'), 'utf8'), 10);
}

/** The process ids of the servers' first processes. */
function pidsOf(clusterDir: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => commandOf(pid).includes(`postgres\0-D\0${clusterDir}\0`)).map(Number);
}

/** The arguments of a process, each followed by a zero byte; empty if the process has ended meanwhile. */
function commandOf(pid: string): string {
  try {
    return readFileSync(join('/proc', pid, 'cmdline'), 'utf8');
  } catch {
    return '';
  }
}
