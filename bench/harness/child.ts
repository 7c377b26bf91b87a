import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Cleanup } from './cleanup.ts';

export interface Child {
  origin: string;
  pid: number;
}

/** Starts one of the bench's own servers as a process; `program` is its path inside `bench/`. */
export async function startChild(cleanup: Cleanup, program: string, args: string[] = []): Promise<Child> {
  const { PATH } = process.env;
  // Nothing else is passed on, as for the gateway: the options of whoever runs the bench must not change the figures.
  const own = { detached: true, execArgv: [], env: { PATH } };
  const child = fork(fileURLToPath(new URL(`../${program}`, import.meta.url)), args, own);
  tellUnexpectedExit(child, program);
  cleanup.add(() => stopChild(child, 'SIGKILL'));
  const [message]: unknown[] = await Promise.race([once(child, 'message'), failOnExit(child, program)]);
  return { origin: String(Reflect.get(Object(message), 'origin')), pid: child.pid ?? 0 };
}

const stopping = new WeakSet<ChildProcess>();

/** Without this a server that dies would show only as a refused connection, which does not say why. */
export function tellUnexpectedExit(child: ChildProcess, name: string): void {
  child.once('exit', (code, signal) => {
    if (!stopping.has(child)) console.error(`${name} ended by itself with ${signal ?? `code ${code}`}`);
  });
}

/** Resolves when the process is gone. */
export async function stopChild(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  stopping.add(child);
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}

/** For `Promise.race`: rejects when the process ends. */
export async function failOnExit(child: ChildProcess, name: string): Promise<never> {
  const [code] = await once(child, 'exit');
  throw new Error(`${name} ended with code ${code}`);
}
