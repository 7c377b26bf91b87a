import { execFile } from 'node:child_process';
import { readFile, readlink, realpath, rm, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isAlive } from '../../kernel/is-alive.ts';
import { pidFileOf, readPidFile } from './pid-file.ts';

/** A fast shutdown writes all that is in memory to the disk first. */
const FAST_STOP_MS = 60_000;
/** An immediate one only ends processes. */
const IMMEDIATE_STOP_MS = 10_000;
const POLL_MS = 20;
const run = promisify(execFile);

/**
 * Stops the server that a killed gateway left running on this cluster. Stopping it, instead of going on with it,
 * leaves one state to reason about: the server is always our child, with our settings. Its data are safe, as after
 * any stop. The caller holds the lock of the data folder, so nobody else owns it.
 */
export async function stopOrphan(clusterDir: string): Promise<boolean> {
  const file = await readPidFile(clusterDir);
  if (file === undefined) return false;
  const { pid, state } = file;
  // A start was cut off while it made the file, and PostgreSQL would ask an operator to remove it.
  if (Number.isNaN(pid)) await rm(pidFileOf(clusterDir));
  if (!(pid > 1) || !isAlive(pid)) return false;
  if (!(await isServerOf(clusterDir, pid))) {
    await disown(pidFileOf(clusterDir));
    return false;
  }
  const stops = [['SIGINT', FAST_STOP_MS] as const, ['SIGQUIT', IMMEDIATE_STOP_MS] as const];
  // One that recovers has nothing to write yet, and one that hangs in it does not hear a fast shutdown.
  for (const [signal, limitMs] of state === 'starting' ? stops.slice(1) : stops) {
    process.kill(pid, signal);
    if (await waitForEnd(clusterDir, pid, limitMs)) return true;
  }
  throw new Error(
    `The PostgreSQL (process ${pid}) that an earlier Waypost left running on ${clusterDir} does not stop: end it.`,
  );
}

/** A server's working directory is its cluster; where there is no /proc, its command line names it. */
async function isServerOf(clusterDir: string, pid: number): Promise<boolean> {
  if (process.platform === 'linux') {
    // A process that has ended meanwhile, or is somebody else's, is not our server.
    const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
    return cwd === (await realpath(clusterDir));
  }
  const command = await run('ps', ['-o', 'command=', '-p', String(pid)]).catch(() => undefined);
  return command?.stdout.includes(clusterDir) ?? false;
}

/**
 * After a reboot or in a new container the id in a left-over file may be that of any process, and PostgreSQL would
 * then refuse to start. The file must stay, because its other lines let PostgreSQL notice left-over processes of the
 * old server. Our own id instead tells it that the file is stale: it knows that its parent is not a server.
 */
async function disown(pidFile: string): Promise<void> {
  const text = await readFile(pidFile, 'utf8');
  await writeFile(pidFile, text.replace(/^\d+/, String(process.pid)));
}

/** A dead process whose parent does not collect it still counts as alive, but works nowhere any more. */
async function waitForEnd(clusterDir: string, pid: number, limitMs: number): Promise<boolean> {
  const deadline = performance.now() + limitMs;
  while (isAlive(pid) && (await isServerOf(clusterDir, pid))) {
    if (performance.now() > deadline) return false;
    await delay(POLL_MS);
  }
  return true;
}
