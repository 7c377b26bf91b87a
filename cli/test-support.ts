import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const CLI = fileURLToPath(new URL('waypost.js', import.meta.url));

export interface CliRun {
  /** null if the process was killed. */
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

export interface CliProcess {
  child: ChildProcess;
  ended: Promise<CliRun>;
}

/** Starts the command line as a process of its own, with these variables and no others. */
export function startCli(args: readonly string[], env: Record<string, string> = {}): CliProcess {
  const child = spawn(process.execPath, [CLI, ...args], {
    // The data folder of a gateway on this machine must not be found.
    env: { PATH: process.env.PATH, WAYPOST_DATA_DIR: '/nowhere', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => (stdout += chunk));
  child.stderr.on('data', (chunk) => (stderr += chunk));
  const ended = new Promise<CliRun>((resolve) =>
    child.once('close', (exitCode) => resolve({ exitCode, stdout, stderr })),
  );
  return { child, ended };
}

/** Runs the command line as a process to its end. */
export function runCli(args: readonly string[], env: Record<string, string> = {}): Promise<CliRun> {
  return startCli(args, env).ended;
}
