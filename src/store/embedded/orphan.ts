import { execFile } from 'node:child_process';
import { readFile, readlink, realpath, rm, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isAlive } from '../../kernel/is-alive.ts';
import { pidFileOf, readPidFile } from './pid-file.ts';

/** A fast shutdown first writes everything in memory to the disk. */
const FAST_STOP_MS = 60_000;
/** An immediate shutdown only ends processes. */
const IMMEDIATE_STOP_MS = 10_000;
const POLL_MS = 20;
const run = promisify(execFile);

/**
 * Stops the server that a killed gateway has left running on this cluster. We stop it instead of going on with it, so that there is one
 * state to reason about: the server is always our child, with our settings. The data are safe, as after any stop. The caller holds the lock
 * of the data folder, so the server has no other owner.
 */
export async function stopOrphan(clusterDir: string): Promise<boolean> {
  const file = await readPidFile(clusterDir);
  if (file === undefined) return false;
  const { pid, state } = file;
  // A start was cut off while it made this file. PostgreSQL would ask an operator to remove it.
  if (Number.isNaN(pid)) await rm(pidFileOf(clusterDir));
  if (!(pid > 1) || !isAlive(pid)) return false;
  if (!(await isServerOf(clusterDir, pid))) {
    await disown(pidFileOf(clusterDir));
    return false;
  }
  const stops = [['SIGINT', FAST_STOP_MS] as const, ['SIGQUIT', IMMEDIATE_STOP_MS] as const];
  // A server that recovers has nothing to write yet, and does not hear a fast shutdown if it hangs. So it gets an immediate one.
  for (const [signal, limitMs] of state === 'starting' ? stops.slice(1) : stops) {
    process.kill(pid, signal);
    if (await waitForEnd(clusterDir, pid, limitMs)) return true;
  }
  throw new Error(
    `The PostgreSQL (process ${pid}) that an earlier Waypost left running on ${clusterDir} does not stop: end it.`,
  );
}

/**
 * Whether a server runs with this process id on the cluster: its working directory is the cluster, or where that is not to be seen its command
 * line names the cluster.
 */
async function isServerOf(clusterDir: string, pid: number): Promise<boolean> {
  if (process.platform === 'linux') {
    const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
    if (cwd !== undefined) return cwd === (await realpath(clusterDir));
    // It has ended meanwhile, or belongs to another user. A root without CAP_SYS_PTRACE, as in a container, may not see where such a process
    // works, but how it was started; and its server is another user's.
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    return command.includes(`postgres\0-D\0${clusterDir}\0`);
  }
  const command = await run('ps', ['-o', 'command=', '-p', String(pid)]).catch(() => undefined);
  return command?.stdout.includes(clusterDir) ?? false;
}

/**
 * After a reboot or in a new container the process id in an old file may belong to any process, and PostgreSQL would refuse to start. The
 * file must stay, because by its other lines PostgreSQL notices processes that the old server has left. So our own id is written into it:
 * PostgreSQL knows that its parent is not a server, and takes the file for stale.
 */
async function disown(pidFile: string): Promise<void> {
  const text = await readFile(pidFile, 'utf8');
  await writeFile(pidFile, text.replace(/^\d+/, String(process.pid)));
}

/** A dead process counts as alive until its parent collects it, but it has no working directory any more. */
async function waitForEnd(clusterDir: string, pid: number, limitMs: number): Promise<boolean> {
  const deadline = performance.now() + limitMs;
  while (isAlive(pid) && (await isServerOf(clusterDir, pid))) {
    if (performance.now() > deadline) return false;
    await delay(POLL_MS);
  }
  return true;
}
