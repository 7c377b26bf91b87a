/** How soon a process notices that its parent is gone. */
const PARENT_LOOK_MS = 500;

/**
 * Resolves at the first SIGINT or SIGTERM. A second one, or a stop that takes longer than the budget, ends the process
 * at once with code 1. Other nodes or the next start then settle what is unfinished, as after a crash.
 */
export function onStopSignal(budgetMs: number): Promise<void> {
  return new Promise((resolve) => {
    let stopping = false;
    const begin = () => {
      stopping = true;
      setTimeout(() => cutShort(`The stop took longer than ${budgetMs} ms (WAYPOST_STOP_BUDGET_MS)`), budgetMs).unref();
      resolve();
    };
    const onSignal = () => (stopping ? cutShort('A second signal came') : begin());
    process.on('SIGINT', onSignal);
    process.on('SIGTERM', onSignal);
    onParentGone(() => stopping || begin());
  });
}

function cutShort(why: string): never {
  console.error(`${why}, so it ends now. What was under way is settled by another node or the next start.`);
  process.exit(1);
}

/**
 * npm runs a script through a shell, and a shell that gets a signal dies without passing it on. So a gateway that npm has
 * started takes the death of its parent for that signal.
 */
function onParentGone(act: () => void): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const look = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(look);
    act();
  }, PARENT_LOOK_MS);
  look.unref();
}
