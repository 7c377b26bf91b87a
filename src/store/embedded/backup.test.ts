import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { until } from '../../../test/support/until.ts';
import { openDatabase } from '../database.ts';
import { backUpEmbedded } from './backup.ts';
import { type Embedded, startEmbedded } from './embedded.ts';

const SILENT = { warn() {}, error() {} };
/** Otherwise a stop that is not heard would be waited for without an end. */
const WITHIN = { timeout: 120_000 };

it('a backup is made although the id of the killed server is that of another process by now, as after a reboot', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'waypost-backup-'));
  t.after(() => rm(dir, { recursive: true }));
  await chmod(dir, 0o711);
  const dataDir = join(dir, 'data');
  const embedded = await startEmbedded({ dataDir, log: SILENT });
  const pidFile = join(dataDir, 'postgres/cluster/postmaster.pid');
  const [text, { uid, gid }] = await Promise.all([readFile(pidFile, 'utf8'), stat(pidFile)]);
  await embedded.stop();
  await writeFile(pidFile, text.replace(/^\d+/, String(process.pid)), { mode: 0o600 });
  await chown(pidFile, uid, gid);
  await backUpEmbedded(dataDir, join(dir, 'copy'), SILENT);
  assert.ok(existsSync(join(dir, 'copy/postgres/cluster/backup_label')));
});

describe('a backup that cannot be made', () => {
  let dir: string;
  let embedded: Embedded;
  const backUp = (target: string) => backUpEmbedded(join(dir, 'data'), target, SILENT);
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'waypost-backup-'));
    // Where nobody but root may enter, the database would be kept elsewhere, and stay there.
    await chmod(dir, 0o711);
    embedded = await startEmbedded({ dataDir: join(dir, 'data'), log: SILENT });
  });
  after(async () => {
    await embedded.stop();
    await rm(dir, { recursive: true });
  });

  it('because another one is being made says so, and leaves nothing in the way of the next one', async () => {
    const [fresh, empty] = [join(dir, 'above/fresh'), join(dir, 'empty')];
    await mkdir(empty);
    const { connection } = embedded;
    const open = () => openDatabase({ connection, connections: 1, onError: () => undefined });
    const [other, watching] = [open(), open()];
    // As another backup does it: the slot exists as long as its connection.
    await other.query(`select pg_create_physical_replication_slot('waypost_backup', true, true)`);
    for (const target of [fresh, empty])
      await assert.rejects(backUp(target), /^Error: Another backup of this database is being made/);
    assert.deepEqual([existsSync(fresh), await readdir(empty)], [false, []]);
    await other.close();
    // The server notices only a moment later that a connection has ended.
    await until(async () => (await watching.query('select 1 from pg_replication_slots')).length === 0);
    await watching.close();
    await backUp(fresh);
    await assert.rejects(backUp(fresh), /is not empty/);
    assert.ok(existsSync(join(fresh, 'postgres/cluster/backup_label')), 'the one that is there is left alone');
  });

  it('because its connection breaks, or because it is told to stop, says so and leaves nothing', WITHIN, async () => {
    const broken = join(dir, 'broken');
    const database = openDatabase({ connection: embedded.connection, connections: 1, onError: () => undefined });
    // Connects now: the files are copied within a second.
    await database.query('select 1');
    const cut = 'select pg_terminate_backend(active_pid) from pg_replication_slots where active_pid is not null';
    // While the server is asked to begin, and while the files are copied.
    for (const isTime of [() => true, () => existsSync(join(broken, 'postgres/cluster'))]) {
      const backedUp = assert.rejects(backUp(broken), /^Error: The database stopped while it was copied: /);
      await until(async () => isTime() && (await database.query(cut)).length > 0);
      await backedUp;
    }
    await database.close();
    const stopped = backUpEmbedded(join(dir, 'data'), broken, SILENT, AbortSignal.abort(new Error('Told to stop')));
    await assert.rejects(stopped, /^Error: Told to stop$/);
    assert.equal(existsSync(broken), false);
    // A server that hangs takes connections, and never answers them.
    const pid = Number.parseInt(await readFile(join(dir, 'data/postgres/cluster/postmaster.pid'), 'utf8'), 10);
    process.kill(pid, 'SIGSTOP');
    const stop = new AbortController();
    const hung = assert.rejects(
      backUpEmbedded(join(dir, 'data'), broken, SILENT, stop.signal),
      /^Error: Told to stop$/,
    );
    await until(async () => existsSync(join(broken, 'postgres')));
    stop.abort(new Error('Told to stop'));
    await hung.finally(() => process.kill(pid, 'SIGCONT'));
    assert.equal(existsSync(broken), false);
  });

  it('because its folder would be in /proc says so', {
    skip: process.platform !== 'linux' && 'only Linux shows processes as files',
  }, async () => {
    await assert.rejects(backUp('/proc/waypost'), /must be a folder that can be written to, and none in \/proc/);
  });
});
