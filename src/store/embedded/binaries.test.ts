import assert from 'node:assert/strict';
import { chmod, cp, lstat, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { findBinaries, findPackage } from './binaries.ts';
import { startServer } from './server.ts';

const isRoot = process.getuid?.() === 0;
const onUnix = { skip: process.platform === 'win32' && 'Windows has no links of libraries' };
const asRoot = { skip: !isRoot && 'only root has this trouble' };

let baseDir: string;
beforeEach(async () => {
  baseDir = await mkdtemp(join(tmpdir(), 'waypost-binaries-'));
  await chmod(baseDir, 0o711);
});
afterEach(() => rm(baseDir, { recursive: true }));

describe('the binaries', onUnix, () => {
  it('are copied, with their links, where npm could not make the links', async () => {
    const packageDir = join(baseDir, 'package');
    const original = findPackage();
    assert.ok(original !== undefined);
    const filter = async (path: string) => !(await lstat(path)).isSymbolicLink();
    await cp(original, packageDir, { recursive: true, filter });
    const wanted = { baseDir, major: undefined, forOthers: false, packageDir };
    assert.equal(await findBinaries(wanted), await copiedBinDir());
    assert.equal(await findBinaries({ ...wanted, major: 18 }), await copiedBinDir());
  });

  it('are copied to where others may read them, if others are to run them and cannot', asRoot, async () => {
    const packageDir = join(baseDir, 'package');
    const original = findPackage();
    assert.ok(original !== undefined);
    await cp(original, packageDir, { recursive: true, verbatimSymlinks: true });
    await chmod(packageDir, 0o700);
    await findBinaries({ baseDir, major: undefined, forOthers: true, packageDir });
    assert.equal((await stat(join(await copiedBinDir(), 'postgres'))).mode & 0o777, 0o755);
  });

  it('of the system are used where npm has none, else the operator is told to set DATABASE_URL', async () => {
    const wanted = { baseDir, major: 3, forOthers: false, packageDir: undefined };
    await assert.rejects(findBinaries(wanted), /set DATABASE_URL/);
  });

  it('of npm that do not run are not told to be missing: the operator learns what keeps them from it', async () => {
    const packageDir = join(baseDir, 'package');
    const bin = join(packageDir, 'native', 'bin');
    await mkdir(bin, { recursive: true });
    await writeFile(join(bin, 'initdb'), '#!/bin/sh\necho libfoo is missing >&2; exit 127\n', { mode: 0o755 });
    await assert.rejects(
      findBinaries({ baseDir, major: 3, forOthers: false, packageDir }),
      /The one in .*package\/native\/bin does not run: Command failed: [\s\S]*libfoo is missing$/,
    );
  });

  it('that cannot be run when the server starts are told, and not what the log has of an earlier one', async () => {
    const logFile = join(baseDir, 'server.log');
    await writeFile(logFile, 'database system is shut down');
    const options = {
      binDir: baseDir,
      clusterDir: baseDir,
      logFile,
      runAs: undefined,
      settings: [],
    };
    const started = startServer(options, new AbortController().signal);
    await assert.rejects(started, /^Error: The embedded PostgreSQL did not start: spawn .*postgres ENOENT$/);
  });
});

async function copiedBinDir(): Promise<string> {
  const [copy] = (await readdir(baseDir)).filter((name) => name.startsWith('binaries-'));
  return join(baseDir, copy ?? '', 'native', 'bin');
}
