import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { promisify } from 'node:util';
import { findBinaries, findPackage } from './binaries.ts';
import { makeCluster } from './cluster.ts';

const run = promisify(execFile);
/** No system gives a user this number by itself. */
const NAMELESS = 1_234_567_890;
const isRoot = process.getuid?.() === 0;
const asRoot = { skip: !isRoot && 'only root can become another user' };
/** For a root without capabilities. */
const BOUND = ['--bounding-set=-all', '--inh-caps=-all'];
const boundRoot = { skip: !(isRoot && (await runs('setpriv', [...BOUND, 'true']))) && 'root cannot be bound here' };

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

it(
  'a folder that root may not give to the user of the server, as in a container, is told in a sentence',
  boundRoot,
  async (t) => {
    const dir = await mkdtemp(join(tmpdir(), 'waypost-cluster-'));
    t.after(() => rm(dir, { recursive: true }));
    const script = `
    import { makePrivateDir } from ${JSON.stringify(new URL('address.ts', import.meta.url).href)};
    await makePrivateDir(process.argv[1], { uid: ${NAMELESS}, gid: ${NAMELESS} });`;
    const program = [process.execPath, '--input-type=module', '--eval', script, join(dir, 'made')];
    await assert.rejects(
      run('setpriv', [...BOUND, ...program]),
      /Error: PostgreSQL refuses to run as root, and its folder cannot be given to the user 1234567890: EPERM: .*DATABASE_URL\.$/m,
    );
  },
);

function runs(program: string, args: string[]): Promise<boolean> {
  return run(program, args).then(
    () => true,
    () => false,
  );
}
