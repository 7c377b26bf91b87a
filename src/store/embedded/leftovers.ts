import { readdir, readFile, readlink, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCodeOf } from '../../kernel/error-code.ts';

/**
 * How long the processes have to end by themselves. One that waits for something notices at once that its server is gone; one that commits
 * gets to finish.
 */
const GRACE_MS = 1_000;
/**
 * How long a killed process may take to end: one that waits for the disk ends when the disk answers. If it does not end in time, the server
 * that is started next reports it.
 */
const KILL_MS = 10_000;
const POLL_MS = 20;

/**
 * Ends the processes that a server has left whose first process was killed. They hold its memory, and no new server starts beside them; a
 * process that only computes would go on until its statement ends. The data are safe, as after any crash. The caller holds the lock of the
 * data folder, and runs no server on it. True if a process had to be killed.
 */
export async function endLeftovers(clusterDir: string): Promise<boolean> {
  // Without a /proc nothing tells which cluster a process works on. Then the new server refuses to start until these processes are gone.
  if (process.platform !== 'linux') return false;
  if (await waitForNone(clusterDir, GRACE_MS)) return false;
  for (const pid of await findLeftovers(clusterDir)) killIfThere(pid);
  await waitForNone(clusterDir, KILL_MS);
  return true;
}

async function waitForNone(clusterDir: string, limitMs: number): Promise<boolean> {
  const deadline = performance.now() + limitMs;
  while ((await findLeftovers(clusterDir)).length > 0) {
    if (performance.now() > deadline) return false;
    await delay(POLL_MS);
  }
  return true;
}

/**
 * Every process of a server works in its cluster's folder. So may the shell of an operator, or a server in single-user mode, which is the
 * operator's own; these are left alone. The folder itself is compared and not its path, because in a container the same path may be another
 * folder.
 */
async function findLeftovers(clusterDir: string): Promise<number[]> {
  const cluster = await stat(clusterDir, { bigint: true });
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      // A process that has ended meanwhile, or belongs to another user, is none of our server.
      const cwd = await stat(join('/proc', pid, 'cwd'), { bigint: true }).catch(() => undefined);
      return (
        cwd?.ino === cluster.ino && cwd.dev === cluster.dev && (await isPostgres(pid)) && !(await isSingleUser(pid))
      );
    }),
  );
  return pids.filter((_, place) => found[place]).map(Number);
}

/** When an update has replaced the binary, ` (deleted)` follows its name. */
async function isPostgres(pid: string): Promise<boolean> {
  const binary = await readlink(join('/proc', pid, 'exe')).catch(() => '');
  return /^postgres( |$)/.test(basename(binary));
}

/** PostgreSQL reads this mode from the first argument only. */
async function isSingleUser(pid: string): Promise<boolean> {
  const command = await readFile(join('/proc', pid, 'cmdline'), 'utf8').catch(() => '');
  return command.split('\0')[1] === '--single';
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (errorCodeOf(error) !== 'ESRCH') throw error;
  }
}
