import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { createCleanup } from '../bench/harness/cleanup.ts';
import { writeResult } from '../bench/harness/report.ts';
import { requireWritable } from '../bench/harness/require-writable.ts';
import { PlainFault, runTool } from '../src/run-tool.ts';
import { type Lane, startLane } from './lanes/lane.ts';
import { runLanes } from './lanes/run-lanes.ts';
import { LANES_MAX } from './processes/ports.ts';
import { addSheets, totalOf } from './sheet.ts';

const HELP = `npm run faults -- [--runs N] [--lanes N] [--seed S] [--short] [--out FILE]

Breaks gateways, database, provider and receivers under load, and balances the books afterwards.
  --runs N    how many runs (1); each has the next seed
  --lanes N   how many of them go side by side (1), up to ${LANES_MAX}; each lane has its own PostgreSQL
  --seed S    the seed of the first run; without it one is drawn
  --short     some 10 s a run instead of a minute
  --out FILE  writes the total as JSON`;

const SEEDS = 1_000_000;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      runs: { type: 'string', default: '1' },
      lanes: { type: 'string', default: '1' },
      seed: { type: 'string', default: String(Math.floor(Math.random() * SEEDS)) },
      short: { type: 'boolean', default: false },
      out: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const [runs, first] = [readWhole('--runs', values.runs), readWhole('--seed', values.seed)];
  const laneCount = readWhole('--lanes', values.lanes);
  if (laneCount < 1 || laneCount > LANES_MAX) throw new PlainFault(`--lanes must be from 1 to ${LANES_MAX}.`, 2);
  if (values.out !== undefined) requireWritable(dirname(values.out));
  const cleanup = createCleanup();
  try {
    const places = Array.from({ length: Math.min(laneCount, runs) }, (_, place) => place);
    const lanes = await Promise.all(places.map((place) => startLane(cleanup, place)));
    return await runAll(lanes, { first, runs, short: values.short, out: values.out });
  } finally {
    await cleanup.run();
  }
}

interface Wish {
  first: number;
  runs: number;
  short: boolean;
  out: string | undefined;
}

async function runAll(lanes: readonly Lane[], { first, runs, short, out }: Wish): Promise<number> {
  if (!lanes.every(({ smallDisk }) => smallDisk))
    console.log('No disk can be mounted here: in place of full_disk the server is restarted.');
  if (lanes.length > 1)
    console.log(`Seeds ${first} to ${first + runs - 1} in ${lanes.length} lanes; each line comes when its run ends.`);
  const startMs = performance.now();
  const seeds = Array.from({ length: runs }, (_, place) => first + place);
  const reports = await runLanes(lanes, { seeds, short }, ({ text }) => console.log(text));
  const seconds = (performance.now() - startMs) / 1_000;
  const total = { ...addSheets(reports.map(({ sheet }) => sheet)), seconds };
  console.log(totalOf(total));
  const failed = reports.filter(({ sheet }) => sheet.passed < sheet.runs).map(({ seed }) => seed);
  if (failed.length > 0) console.log(`\nSeeds that failed: ${failed.join(', ')}`);
  if (out !== undefined) writeResult(out, 'faults', { first, short, ...total });
  return failed.length === 0 ? 0 : 1;
}

function readWhole(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new PlainFault(`${name} must be a whole number.`, 2);
  return Number(text);
}

await runTool(main);
// Ends the process even if a run has left something open.
process.exit();
