/**
 * Resolves at the first SIGINT or SIGTERM. A second one, or a stop that takes longer than the budget, ends the process
 * at once with code 1: what is unfinished is settled by the next start, as after a crash.
 */
export function onStopSignal(budgetMs: number): Promise<void> {
  return new Promise((resolve) => {
    let stopping = false;
    const stop = () => {
      if (stopping) process.exit(1);
      stopping = true;
      setTimeout(() => process.exit(1), budgetMs).unref();
      resolve();
    };
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
  });
}
