import { parseArgs } from 'node:util';
import { benchCallback } from './callback.ts';
import { benchEvents } from './events.ts';
import { type Cleanup, createCleanup } from './harness/cleanup.ts';
import type { Extent } from './harness/compare.ts';
import { printCallback, printEvents, printLimits, printSend, printStart, writeResult } from './harness/report.ts';
import { benchLimits } from './limits.ts';
import { benchSend } from './send.ts';
import { benchStart } from './start.ts';

const USAGE = `npm run bench -- <suite> [--short] [--json FILE] [--gateway-node-option OPTION]...

  send      the send path against a bare proxy and a bare fan-out
  callback  the way of a status from its notification to the feed, against a bare server
  events    the way of events to a customer's endpoint, against a bare loop, and reads of the feed
  limits    what key and limits cost, and a quiet account beside one that floods
  start     the first start on a fresh data folder, and later ones

  --short                 less of everything: a glance, in under two minutes
  --json FILE             writes the figures to a file, with machine and commit
  --gateway-node-option   for the gateway's process, such as --gateway-node-option=--cpu-prof`;

const FULL: Extent = { rounds: 5, roundMs: 5_000, warmUpMs: 5_000 };
const SHORT: Extent = { rounds: 3, roundMs: 2_500, warmUpMs: 2_500 };

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    short: { type: 'boolean', default: false },
    json: { type: 'string' },
    'gateway-node-option': { type: 'string', multiple: true, default: [] },
  },
});
const extent = values.short ? SHORT : FULL;

/** Runs a suite and returns its figures, or undefined if there is no such suite. `healthy`: nothing lost or doubled. */
async function run(
  suite: string | undefined,
  cleanup: Cleanup,
): Promise<{ healthy: boolean; result: unknown } | undefined> {
  switch (suite) {
    case 'send': {
      const result = await benchSend(cleanup, extent, values['gateway-node-option']);
      printSend(result);
      return { healthy: result.lost === 0 && result.doubled === 0, result };
    }
    case 'callback': {
      const result = await benchCallback(cleanup, extent, values['gateway-node-option']);
      printCallback(result);
      return { healthy: result.lost === 0 && result.doubled === 0, result };
    }
    case 'events': {
      const result = await benchEvents(
        cleanup,
        { ...extent, storedEvents: values.short ? 100_000 : 1_000_000 },
        values['gateway-node-option'],
      );
      printEvents(result);
      return { healthy: result.lost === 0 && result.doubled === 0, result };
    }
    case 'limits': {
      const result = await benchLimits(cleanup, extent);
      printLimits(result);
      return { healthy: true, result };
    }
    case 'start': {
      const result = await benchStart(cleanup, extent.rounds);
      printStart(result);
      return { healthy: true, result };
    }
    default:
      console.error(USAGE);
      return undefined;
  }
}

const [suite] = positionals;
const cleanup = createCleanup();
try {
  const done = await run(suite, cleanup);
  if (done !== undefined && values.json !== undefined) writeResult(values.json, suite ?? '', done.result);
  // A missed target is a figure; a lost or doubled message is a fault.
  process.exitCode = done?.healthy === true ? 0 : 1;
} finally {
  await cleanup.run();
}
