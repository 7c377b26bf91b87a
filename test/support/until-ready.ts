import type { ChildProcess } from 'node:child_process';
import { until } from './until.ts';

interface Starting {
  child: ChildProcess;
  /** The name by which the error calls it. */
  name: string;
  /** Everything that it has printed so far. */
  output(): string;
}

/** Waits until a process that was just started is ready, as `until` does. If it ends, or is not ready in time, it is killed. */
export async function untilReady<Value>(
  { child, name, output }: Starting,
  ready: () => Value,
  timeoutMs?: number,
): Promise<Exclude<Value, false | null | undefined>> {
  const check = () => {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`The ${name} ended with code ${child.exitCode ?? child.signalCode}:\n${output()}`);
    return ready();
  };
  return until(check, timeoutMs).catch((error: unknown) => {
    // Nobody else knows this process, and the test file would wait for it.
    child.kill('SIGKILL');
    throw error;
  });
}
