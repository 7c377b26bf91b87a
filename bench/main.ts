import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { PlainFault, runTool } from '../src/run-tool.ts';
import { createCleanup } from './harness/cleanup.ts';
import type { Extent } from './harness/compare.ts';
import { readCount } from './harness/read-count.ts';
import { writeResult } from './harness/report.ts';
import { requireWritable } from './harness/require-writable.ts';
import { writeMarkdown } from './harness/table.ts';
import { ALL, type Finished, SUITES, type SuiteOptions } from './suites.ts';

const USAGE = `npm run bench [-- <suite>] [--short] [--json FILE] [--markdown FILE] [--gateway-node-option OPTION]...

  send      the send path against a bare proxy, a bare fan-out and a simple gateway
  callback  the way of a status from its notification to the feed, against a bare server
  events    the way of events to a customer's endpoint, against a bare loop, and reads of the feed
  limits    what key and limits cost, and a quiet account beside one that floods
  start     the first start on a fresh data folder, and later ones
            Without a suite these run one after another; those below only by name.
  cost      processor, log and disk for each message and status, for docs/scaling.md
  growth    an empty gateway, and the same one with messages stored

  --short                 less of everything: a glance, in under two minutes
  --messages N            growth: how many are stored (10000000)
  --json FILE             writes the figures to a file, with machine and commit
  --markdown FILE         writes them as tables
  --gateway-node-option   for the gateway's process, such as --gateway-node-option=--cpu-prof`;

const FULL: Extent = { rounds: 5, roundMs: 5_000, warmUpMs: 5_000 };
const SHORT: Extent = { rounds: 3, roundMs: 2_500, warmUpMs: 2_500 };
/** With this extent all suites together take under two minutes. */
const SHORTEST: Extent = { rounds: 3, roundMs: 800, warmUpMs: 800 };

type SuiteFinished = Finished & { suite: string };

async function main(): Promise<number> {
  const { positionals, values } = readCommandLine();
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const suites = positionals.length === 0 ? ALL : positionals;
  const unknown = suites.find((suite) => SUITES[suite] === undefined);
  if (unknown !== undefined) throw new PlainFault(`There is no suite ${unknown} (add --help for help).`, 2);
  const messages = readCount('--messages', values.messages);
  for (const file of [values.json, values.markdown]) if (file !== undefined) requireWritable(dirname(file));
  const short = suites.length > 1 ? SHORTEST : SHORT;
  const finished = await runSuites(suites, {
    extent: values.short ? short : FULL,
    storedEvents: values.short ? 100_000 : 1_000_000,
    messages,
    gatewayNodeOptions: values['gateway-node-option'],
  });
  const results = Object.fromEntries(finished.map(({ suite, result }) => [suite, result]));
  if (values.json !== undefined)
    writeResult(values.json, suites.join(', '), suites.length === 1 ? finished[0]?.result : results);
  if (values.markdown !== undefined) writeMarkdown(values.markdown, finished);
  // A missed target is only a figure. A lost or doubled message is a fault.
  return finished.every(({ healthy }) => healthy) ? 0 : 1;
}

function readCommandLine() {
  return parseArgs({
    allowPositionals: true,
    options: {
      short: { type: 'boolean', default: false },
      messages: { type: 'string', default: '10000000' },
      json: { type: 'string' },
      markdown: { type: 'string' },
      'gateway-node-option': { type: 'string', multiple: true, default: [] },
      help: { type: 'boolean', default: false },
    },
  });
}

async function runSuites(suites: readonly string[], options: SuiteOptions): Promise<SuiteFinished[]> {
  const startMs = performance.now();
  const finished: SuiteFinished[] = [];
  for (const suite of suites) {
    const cleanup = createCleanup();
    try {
      console.log(`\n${suite}\n`);
      const done = await SUITES[suite]?.(cleanup, options);
      if (done !== undefined) finished.push({ suite, ...done });
    } finally {
      await cleanup.run();
    }
  }
  console.log(`\nIn all ${((performance.now() - startMs) / 1_000).toFixed(0)} s`);
  return finished;
}

await runTool(main);
