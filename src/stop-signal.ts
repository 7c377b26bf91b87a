import { msUntil } from './kernel/ms-until.ts';

/** How soon a process notices that its parent is gone. */
const PARENT_LOOK_MS = 500;

export interface Stop {
  /** Resolves at the first SIGINT, SIGTERM or SIGHUP. */
  asked: Promise<void>;
  /** Aborts then. */
  signal: AbortSignal;
  /**
   * Until when the way back may wait now for something that may also be left as it is, as a time of `performance.now()`, so that
   * so much of the budget is kept for what follows: half of what is left at the most.
   */
  untilKept(keptMs: number): number;
}

/**
 * Listens for the first SIGINT, SIGTERM or SIGHUP. A second one that is no SIGHUP, or a stop that takes longer than the budget, ends the process
 * at once with code 1. Other nodes or the next start then settle what is unfinished, as after a crash.
 */
export function onStopSignal(budgetMs: number): Stop {
  const asked = Promise.withResolvers<void>();
  const stop = new AbortController();
  let endMs: number | undefined;
  const begin = () => {
    endMs = performance.now() + budgetMs;
    setTimeout(() => cutShort(`The stop took longer than ${budgetMs} ms (WAYPOST_STOP_BUDGET_MS)`), budgetMs).unref();
    stop.abort();
    asked.resolve();
  };
  const isAsked = () => stop.signal.aborted;
  const onSignal = () => (isAsked() ? cutShort('A second signal came') : begin());
  const onGone = () => isAsked() || begin();
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  // A terminal that is closed: its shell and the kernel may both tell it. `nohup` does not keep it from a Node.
  process.on('SIGHUP', onGone);
  onParentGone(onGone);
  return {
    asked: asked.promise,
    signal: stop.signal,
    untilKept(keptMs) {
      // A start that has failed goes back as well, and nobody has asked it to.
      endMs ??= performance.now() + budgetMs;
      return endMs - Math.min(keptMs, msUntil(endMs) / 2);
    },
  };
}

function cutShort(why: string): never {
  console.error(`${why}, so it ends now. What was under way is settled by another node or the next start.`);
  process.exit(1);
}

/**
 * npm runs a script through a shell, and a shell that gets a signal dies without passing it on. So a program that npm has
 * started takes the death of its parent for that signal.
 */
export function onParentGone(act: () => void): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const look = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(look);
    act();
  }, PARENT_LOOK_MS);
  look.unref();
}
