import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createCleanup } from '../bench/harness/cleanup.ts';
import { writeResult } from '../bench/harness/report.ts';
import { drawPlan } from './plan.ts';
import { type Ground, prepareGround } from './run/ground.ts';
import { type RunResult, run } from './run/run.ts';
import { addSheets, lineOf, type Sheet, sheetOf, totalOf } from './sheet.ts';

const HELP = `npm run faults -- [--runs N] [--seed S] [--short] [--out FILE]

Breaks gateways, database, provider and receivers under load, and balances the books afterwards.
  --runs N    how many runs (1); each has the next seed
  --seed S    the seed of the first run; without it one is drawn
  --short     some 10 s a run instead of a minute
  --out FILE  writes the total as JSON`;

const SEEDS = 1_000_000;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      runs: { type: 'string', default: '1' },
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
  const cleanup = createCleanup();
  try {
    const ground = await prepareGround(cleanup);
    return await runAll(ground, { first, runs, short: values.short, out: values.out });
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

async function runAll(ground: Ground, { first, runs, short, out }: Wish): Promise<number> {
  if (!ground.postgres.smallDisk) console.log('No disk can be mounted here: full_disk is left out.');
  const sheets: Sheet[] = [];
  for (let seed = first; seed < first + runs; seed++) sheets.push(await runOnce(ground, seed, short));
  const total = addSheets(sheets);
  console.log(totalOf(total));
  if (out !== undefined) writeResult(out, 'faults', { first, short, ...total });
  return total.passed === total.runs ? 0 : 1;
}

async function runOnce(ground: Ground, seed: number, short: boolean): Promise<Sheet> {
  const result = await run(ground, drawPlan(seed, { short, smallDisk: ground.postgres.smallDisk }));
  const sheet = sheetOf(result);
  console.log(lineOf(seed, sheet));
  if (result.faults.length > 0) keepFailure(seed, short, result);
  return sheet;
}

function keepFailure(seed: number, short: boolean, { plan, books, faults, output }: RunResult): void {
  const dir = join(tmpdir(), 'waypost-faults', String(seed));
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'faults.txt'), `${faults.join('\n')}\n`);
  writeFileSync(join(dir, 'plan.json'), JSON.stringify(plan, undefined, 2));
  writeFileSync(join(dir, 'books.json'), JSON.stringify(books, undefined, 2) ?? '');
  writeFileSync(join(dir, 'gateways.log'), output);
  for (const fault of faults.slice(0, 10)) console.log(`       ${fault}`);
  if (faults.length > 10) console.log(`       and ${faults.length - 10} more`);
  console.log(
    `       Everything of this run is in ${dir}. Again: npm run faults -- --seed ${seed}${short ? ' --short' : ''}`,
  );
}

function readWhole(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`${name} must be a whole number.`);
  return Number(text);
}

process.exit(await main());
