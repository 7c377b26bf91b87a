import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { findBinaries, findPackage } from './binaries.ts';
import { makeCluster } from './cluster.ts';

/** No system gives a user this number by itself. */
const NAMELESS = 1_234_567_890;
const asRoot = { skip: process.getuid?.() !== 0 && 'only root can become another user' };

it(
  'a cluster that PostgreSQL makes for no user without a name, as in a container, is told in a sentence',
  asRoot,
  async (t) => {
    const baseDir = await mkdtemp(join(tmpdir(), 'waypost-cluster-'));
    t.after(() => rm(baseDir, { recursive: true }));
    await chmod(baseDir, 0o711);
    const binDir = await findBinaries({ baseDir, major: undefined, forOthers: true, packageDir: findPackage() });
    const runAs = { uid: NAMELESS, gid: NAMELESS };
    const place = { baseDir, clusterDir: join(baseDir, 'cluster'), clusterExists: false, runAs };
    await assert.rejects(
      makeCluster(place, binDir, new AbortController().signal),
      /^Error: PostgreSQL makes no database for .*the user 1234567890 has no entry in \/etc\/passwd\. .*DATABASE_URL\.$/,
    );
  },
);
