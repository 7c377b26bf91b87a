import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** As in the gateway itself, which looks after its parent from then on. */
const PARENT_LOOK_MS = 500;

/**
 * Obeys SIGINT, SIGTERM and SIGHUP, and the death of npm's shell, until the gateway listens for them itself. Nothing is under way by then that
 * must be finished: the process ends with 0, and what it waits for ends with it.
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
    /** Runs a program of ours to its end, or to that of this process. If it fails, it has said why, and its work is done later. */
    async run(args) {
      const child = spawn(process.execPath, args, { stdio: 'inherit' });
      children.add(child);
      await once(child, 'exit').catch(() => undefined);
      children.delete(child);
    },
    /** Starts who listens from now on, and lets go before a signal can come: one between the two would end the process hard. */
    handOver(start) {
      endWithParent();
      const started = start();
      clearInterval(look);
      process.off('SIGINT', end).off('SIGTERM', end).off('SIGHUP', end);
      return started;
    },
  };
}
