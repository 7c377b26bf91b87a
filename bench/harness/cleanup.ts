/** What a bench has started and made. It is undone in the opposite order, however the bench ends. */
export interface Cleanup {
  add(step: () => Promise<void>): void;
  run(): Promise<void>;
}

/** Also runs at Ctrl-C and SIGTERM. The processes of a bench have process groups of their own, so that only the bench stops them. */
export function createCleanup(): Cleanup {
  const steps: (() => Promise<void>)[] = [];
  let running: Promise<void> | undefined;
  const cleanup: Cleanup = {
    add: (step) => void steps.push(step),
    run() {
      running ??= runBackwards(steps).finally(() => {
        process.off('SIGINT', stop);
        process.off('SIGTERM', stop);
      });
      return running;
    },
  };
  const stop = () => void cleanup.run().finally(() => process.exit(130));
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  return cleanup;
}

async function runBackwards(steps: (() => Promise<void>)[]): Promise<void> {
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) await step();
}
