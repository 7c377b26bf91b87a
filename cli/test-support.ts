import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { runCommandLine } from './run-command-line.ts';
import type { Terminal } from './table.ts';

const CLI = fileURLToPath(new URL('waypost.js', import.meta.url));
/** The data folder of a gateway on this machine must not be found. */
const NO_DATA = { WAYPOST_DATA_DIR: '/nowhere' };

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
    env: { PATH: process.env.PATH, ...NO_DATA, ...env },
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

/**
 * Runs the command line to its end, with these variables and no others. It runs in this process, which costs a tenth of one of its own. Where
 * a test is about what only a process has, such as its real exit code and its pipes, `startCli` starts one. `onListening` is called when it
 * begins to listen for signals. `terminal` is what its remarks go to; nothing is a terminal unless that says so.
 */
export async function runCli(
  args: readonly string[],
  env: Record<string, string> = {},
  onListening: () => void = () => undefined,
  terminal: Pick<Terminal, 'isTTY' | 'columns'> = {},
): Promise<CliRun> {
  const [stdout, stderr] = [new Kept(), Object.assign(new Kept(), terminal)];
  const exit = (exitCode: number) => {
    throw new Error(`It ended the process with ${exitCode}`);
  };
  const around = Object.assign(new EventEmitter(), { env: { ...NO_DATA, ...env }, stdout, stderr, exit });
  around.once('newListener', onListening);
  const exitCode = await runCommandLine(args, around);
  return { exitCode, stdout: stdout.text, stderr: stderr.text };
}

/** A stream that keeps what is written. */
class Kept extends Writable {
  text = '';

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk;
    done();
  }
}
