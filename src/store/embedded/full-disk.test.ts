import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, writeSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../../../test/support/until.ts';
import { errorCodeOf } from '../../kernel/error-code.ts';
import { type Database, openDatabase } from '../database.ts';
import { startEmbedded } from './embedded.ts';

/** How often a server is ended that then finds no room to recover. One of two such servers once hung. */
const TIMES = 4;
/** Long enough for several recoveries. */
const FULL_MS = 1_500;
/** A start takes half a second, and one that fails is repeated after a second. */
const BACK_WITHIN_MS = 20_000;
const SILENT = { warn: () => undefined, error: () => undefined };

const dataDir = mkdtempSync(join(tmpdir(), 'waypost-full-'));
// Only root may mount, and not in every container.
const mount = ['-t', 'tmpfs', '-o', 'size=160m,mode=0711', 'waypost-full', dataDir];
const isMounted = process.platform === 'linux' && spawnSync('mount', mount).status === 0;
const onSmallDisk = { skip: !isMounted && 'a disk of its own cannot be mounted here', timeout: 240_000 };

after(async () => {
  if (isMounted) execFileSync('umount', [dataDir]);
  await rm(dataDir, { recursive: true, force: true });
});

describe('the embedded server on a full disk', onSmallDisk, () => {
  it('is back soon after there is room again, although it could not recover before', async () => {
    const embedded = await startEmbedded({ dataDir, log: SILENT });
    const database = openDatabase({ connection: embedded.connection, connections: 1, onError: () => undefined });
    try {
      await database.query('create table kept (n integer)');
      for (let time = 1; time <= TIMES; time++) {
        await database.query('insert into kept values ($1)', [time]);
        await recoverWithoutRoom(database);
        await untilAnswered(database);
      }
      assert.equal((await database.query('select from kept')).length, TIMES);
    } finally {
      await database.close();
      await embedded.stop();
    }
  });
});

/** Ends one of the server's processes and fills the disk again and again, also with the room that the recovery itself frees. */
async function recoverWithoutRoom(database: Database): Promise<void> {
  const [writer] = await database.query<{ pid: number }>(
    `select pid from pg_stat_activity where backend_type = 'background writer'`,
  );
  const filler = join(dataDir, 'filler');
  const file = openSync(filler, 'w');
  try {
    fill(file);
    process.kill(writer?.pid ?? 0, 'SIGKILL');
    const endMs = performance.now() + FULL_MS;
    while (performance.now() < endMs) {
      fill(file);
      await delay(2);
    }
  } finally {
    closeSync(file);
    await rm(filler);
  }
}

function fill(file: number): void {
  const page = Buffer.alloc(4096);
  try {
    for (;;) writeSync(file, page);
  } catch (error) {
    if (errorCodeOf(error) !== 'ENOSPC') throw error;
  }
}

async function untilAnswered(database: Database): Promise<void> {
  const answers = () =>
    database.query('select 1').then(
      () => true,
      () => false,
    );
  await until(answers, BACK_WITHIN_MS);
}
