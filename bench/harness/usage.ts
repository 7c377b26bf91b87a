import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Linux counts the processor time of a process in hundredths of a second. */
const CLOCK_TICKS_A_SECOND = 100;

/** The most memory that a process has ever held, in MB; undefined where there is no `/proc`. */
export function memoryPeakMb(pid: number): number | undefined {
  return readMemoryMb(pid, /^VmHWM:\s+(\d+) kB/m);
}

/** The memory that a process holds now, in MB; undefined where there is no `/proc`. */
export function memoryNowMb(pid: number): number | undefined {
  return readMemoryMb(pid, /^VmRSS:\s+(\d+) kB/m);
}

function readMemoryMb(pid: number, line: RegExp): number | undefined {
  const kb = line.exec(readOrEmpty(`/proc/${pid}/status`))?.[1];
  return kb === undefined ? undefined : Number(kb) / 1024;
}

/** How much processor time a process and the PostgreSQL that it started have used so far, in seconds; NaN where there is no `/proc`. */
export function cpuSeconds(pid: number): { process: number; database: number } {
  if (!existsSync('/proc')) return { process: Number.NaN, database: Number.NaN };
  const stats = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readStat(Number(name)));
  const postmasters = stats.filter(({ parent }) => parent === pid).map((stat) => stat.pid);
  const ofDatabase = stats.filter((stat) => postmasters.includes(stat.pid) || postmasters.includes(stat.parent));
  return {
    process: readStat(pid).seconds,
    database: ofDatabase.reduce((sum, { seconds }) => sum + seconds, 0),
  };
}

/** Processor time of a gateway and of its database. */
export interface CpuUsed {
  gateway: number;
  database: number;
}

/** The processor time that a gateway has used since `before`, in seconds. */
export function cpuSince(before: ReturnType<typeof cpuSeconds>, gatewayPid: number): CpuUsed {
  const now = cpuSeconds(gatewayPid);
  return { gateway: now.process - before.process, database: now.database - before.database };
}

/** The processor time that each of so many items has cost, in microseconds. */
export function microsEach(used: readonly CpuUsed[], items: number): CpuUsed {
  const micros = (side: keyof CpuUsed) => (used.reduce((sum, one) => sum + one[side], 0) / items) * 1e6;
  return { gateway: micros('gateway'), database: micros('database') };
}

function readStat(pid: number): { pid: number; parent: number; seconds: number } {
  const text = readOrEmpty(`/proc/${pid}/stat`);
  // The name in brackets may contain spaces. The fields after it are those of proc(5) from the third on.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  return { pid, parent: Number(fields[1]), seconds: (ticks || 0) / CLOCK_TICKS_A_SECOND };
}

/** A process may end between two looks, and other systems have no `/proc`. */
function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** The commit that is measured, with a plus if the files differ from it. */
export function commitOf(): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    return git('rev-parse', '--short', 'HEAD').trim() + (git('status', '--porcelain') === '' ? '' : '+');
  } catch {
    // It is not a clone, or nothing is committed yet. The figures are right all the same.
    return 'none';
  }
}
