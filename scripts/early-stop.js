import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** As often as the gateway itself looks, which does so from then on. */
const PARENT_LOOK_MS = 500;

/**
 * Obeys SIGINT, SIGTERM and SIGHUP, and the death of npm's shell, until the gateway listens for them itself. Until then nothing is under
 * way that would have to be finished: the process ends with 0, and the programs that it waits for end with it.
 */
export function listenEarly() {
  const children = new Set();
  const parent = process.ppid;
  const end = () => {
    if (children.size === 0) process.exit(0);
    for (const child of children) child.once('exit', () => process.exit(0)).kill('SIGKILL');
  };
  const endWithParent = () => process.env.npm_lifecycle_event !== undefined && process.ppid !== parent && end();
  const look = setInterval(endWithParent, PARENT_LOOK_MS);
  process.on('SIGINT', end).on('SIGTERM', end).on('SIGHUP', end);
  return {
    /**
     * Runs one of our programs to its end, or until this process ends. If the program fails, it has said why, and its work is done later.
     */
    async run(args, env) {
      const child = spawn(process.execPath, args, { stdio: 'inherit', env });
      children.add(child);
      await once(child, 'exit').catch(() => undefined);
      children.delete(child);
    },
    /**
     * Starts what listens for the signals from now on, and stops listening here. No signal can come between the two; there it would end the
     * process hard.
     */
    handOver(start) {
      endWithParent();
      const started = start();
      clearInterval(look);
      process.off('SIGINT', end).off('SIGTERM', end).off('SIGHUP', end);
      return started;
    },
  };
}
