import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Cleanup } from '../../bench/harness/cleanup.ts';
import { portsFrom } from '../processes/ports.ts';
import { signalIfThere } from '../processes/signal.ts';
import type { SeedReport } from './run-seed.ts';

const PROGRAM = fileURLToPath(new URL('./lane-program.ts', import.meta.url));

/** Carries out one run after the other. */
export interface Lane {
  /** Whether its database has a disk that can be filled. */
  smallDisk: boolean;
  /** Throws if the lane's process ends meanwhile. */
  run(seed: number, short: boolean): Promise<SeedReport>;
}

/** Starts the process of a lane; `cleanup` ends it, and whatever its run has started. */
export async function startLane(cleanup: Cleanup, place: number, program = PROGRAM): Promise<Lane> {
  // A process group of its own: only its parent stops it, so that it can put everything away, and can be ended as a whole.
  const child = fork(program, {
    detached: true,
    env: { ...process.env, FAULTS_PORTS_FROM: String(portsFrom(process.pid, place)) },
  });
  const gone = once(child, 'exit');
  cleanup.add(() => stop(child, gone));
  const failure = gone.then(([code, signal]) => {
    throw new Error(`Lane ${place} ended by itself (${signal ?? `code ${code}`})`);
  });
  failure.catch(() => undefined); // It is told to whoever waits for an answer; a lane that is stopped ends too.
  const hear = async () => JSON.parse(String((await Promise.race([once(child, 'message'), failure]))[0]));
  const { smallDisk }: { smallDisk: boolean } = await hear();
  return {
    smallDisk,
    async run(seed, short) {
      child.send(JSON.stringify({ seed, short }));
      return hear().catch((error) => {
        throw new Error(`The run of seed ${seed} has no end`, { cause: error });
      });
    },
  };
}

/** The lane puts its database and disk away when it is left alone; what a run was starting just then ends with its group. */
async function stop(child: ChildProcess, gone: Promise<unknown>): Promise<void> {
  if (child.connected) child.disconnect();
  await gone;
  if (child.pid !== undefined) signalIfThere(-child.pid, 'SIGKILL');
}
