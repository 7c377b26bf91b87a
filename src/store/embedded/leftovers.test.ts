import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { findBinaries, findPackage } from './binaries.ts';
import { startEmbedded } from './embedded.ts';

const SILENT = { warn: () => undefined, error: () => undefined };
const onLinux = { skip: process.platform !== 'linux' && 'only Linux shows processes as files', timeout: 120_000 };
const isRoot = process.getuid?.() === 0;

describe('what is ended before a start', onLinux, () => {
  it("is no operator's server in single-user mode: the start says that the cluster is in use", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'waypost-leftovers-'));
    await chmod(dataDir, 0o711);
    const start = () => startEmbedded({ dataDir, log: SILENT });
    await (await start()).stop();
    const clusterDir = join(dataDir, 'postgres', 'cluster');
    const wanted = { baseDir: dataDir, major: undefined, forOthers: isRoot, packageDir: findPackage() };
    const binDir = await findBinaries(wanted);
    const { uid, gid } = await stat(clusterDir);
    const user = isRoot ? { uid, gid } : {};
    const operator = spawn(join(binDir, 'postgres'), ['--single', '-D', clusterDir, 'postgres'], { ...user, cwd: '/' });
    const ended = once(operator, 'exit');
    // Waits for the prompt of the single-user server.
    await once(operator.stdout, 'data');
    try {
      await assert.rejects(start(), /lock file "postmaster.pid" already exists/);
      assert.equal(operator.signalCode, null);
    } finally {
      operator.stdin.end();
      await ended;
      await rm(dataDir, { recursive: true });
    }
  });
});
