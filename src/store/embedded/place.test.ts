import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { choosePlace } from './place.ts';

const SILENT = { warn() {} };

describe('the place of the embedded server', { skip: process.getuid?.() !== 0 && 'only root has this trouble' }, () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'waypost-place-'));
    await chmod(dataDir, 0o700);
  });
  afterEach(() => rm(dataDir, { recursive: true }));

  it('is not made anew where the folder outside is gone in which it was: everything would seem to be lost', async (t) => {
    const { baseDir } = await choosePlace(dataDir, SILENT);
    t.after(() => rm(baseDir, { recursive: true, force: true }));
    assert.equal(
      (await choosePlace(dataDir, SILENT)).baseDir,
      baseDir,
      'one that was cut off before it made a cluster',
    );
    await rename(baseDir, `${baseDir}-away`);
    await assert.rejects(choosePlace(dataDir, SILENT), (error: Error) => {
      assert.match(
        error.message,
        new RegExp(`is in ${baseDir}, as ${dataDir}/postgres-location says, and that folder is`),
      );
      return true;
    });
    await rename(`${baseDir}-away`, baseDir);
    assert.equal((await choosePlace(dataDir, SILENT)).baseDir, baseDir);
  });

  it('is not another one than where a database is already, though nobody else may enter there', async () => {
    await mkdir(join(dataDir, 'postgres', 'cluster'), { recursive: true });
    await assert.rejects(
      choosePlace(dataDir, SILENT),
      /There is a database in .* Move the data folder to where all users/,
    );
    assert.deepEqual(await readdir(dataDir), ['postgres']);
    await chmod(dataDir, 0o711);
    const { baseDir, clusterExists } = await choosePlace(dataDir, SILENT);
    assert.deepEqual([baseDir, clusterExists], [join(dataDir, 'postgres'), true]);
  });
});
