import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Cleanup } from '../../bench/harness/cleanup.ts';
import { portsFrom } from '../processes/ports.ts';
import { signalIfThere } from '../processes/signal.ts';
import type { SeedReport } from './run-seed.ts';

const PROGRAM = fileURLToPath(new URL('./lane-program.ts', import.meta.url));

/** Does one run after the other. */
export interface Lane {
  /** Whether its database has a disk that can be filled. */
  smallDisk: boolean;
  /** Throws if the lane's process ends during the run. */
  run(seed: number, short: boolean): Promise<SeedReport>;
}

/** Starts the process of a lane. `cleanup` ends it, with everything that its run has started. */
export async function startLane(cleanup: Cleanup, place: number, program = PROGRAM): Promise<Lane> {
  // It has a process group of its own. So only its parent stops it, which lets it remove everything first, and the group can be ended as a
  // whole.
  const child = fork(program, {
    detached: true,
    env: { ...process.env, FAULTS_PORTS_FROM: String(portsFrom(process.pid, place)) },
  });
  const gone = once(child, 'exit');
  cleanup.add(() => stop(child, gone));
  const failure = gone.then(([code, signal]) => {
    throw new Error(`Lane ${place} ended by itself (${signal ?? `code ${code}`})`);
  });
  // The failure is reported to whoever waits for an answer. A lane that is stopped also ends, and then nobody waits.
  failure.catch(() => undefined);
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

/** The lane removes its database and disk when its parent disconnects. What a run was just starting then ends with the process group. */
async function stop(child: ChildProcess, gone: Promise<unknown>): Promise<void> {
  if (child.connected) child.disconnect();
  await gone;
  if (child.pid !== undefined) signalIfThere(-child.pid, 'SIGKILL');
}
