import { basename } from 'node:path';
import { isMainThread } from 'node:worker_threads';

/** The slowest takes an eighth of it where nothing else runs, and more than half beside two others that never rest. */
const LIMIT_MS = 1_200_000;

// Imported before each process of tests. The runner would wait for ever for one that does not end, such as one that could not begin while a
// server of its own was open already, and nobody would be told which one it was.
if (isMainThread && process.env.NODE_TEST_CONTEXT !== undefined)
  setTimeout(() => {
    console.error(
      `${basename(process.argv[1] ?? '')} has not ended in time. Still open: ${process.getActiveResourcesInfo().join(', ')}`,
    );
    process.exit(1);
  }, LIMIT_MS).unref();
