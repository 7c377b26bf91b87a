import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MIGRATIONS = 'src/store/migrations';
const run = promisify(execFile);

/** The commit of WAYPOST_TEST_OLDER, or the one before the last that has added a migration; undefined in a clone without it. */
export async function findOlder(): Promise<string | undefined> {
  const named = process.env.WAYPOST_TEST_OLDER;
  // Without git, or in a clone that ends before, there is no older version to try.
  const git = (...words: string[]) =>
    run('git', words, { cwd: ROOT }).then(
      ({ stdout }) => stdout.trim(),
      () => '',
    );
  const last = await git('log', '-1', '--format=%H', '--diff-filter=A', '--', MIGRATIONS);
  const commit = await git('rev-parse', '--quiet', '--verify', `${named ?? `${last}^`}^{commit}`);
  return commit === '' ? undefined : commit;
}

/** Puts the code of a commit into a folder, which ends with the test. It runs with the dependencies of this version. */
export async function unpackOlder(t: TestContext, commit: string): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'waypost-older-'));
  t.after(() => rm(dir, { recursive: true, force: true, maxRetries: 3 }));
  await run('sh', ['-c', 'git archive "$1" | tar -x -C "$2"', 'sh', commit, dir], { cwd: ROOT });
  await symlink(join(ROOT, 'node_modules'), join(dir, 'node_modules'));
  return dir;
}
