import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drawPlan } from '../plan.ts';
import type { Ground } from '../run/ground.ts';
import { type RunResult, run } from '../run/run.ts';
import { lineOf, type Sheet, sheetOf } from '../sheet.ts';

/** How many faults are printed. All of them are in the folder of the run. */
const FAULTS_TOLD = 10;

/** The report on one run. */
export interface SeedReport {
  seed: number;
  /** One line, and below it what did not balance. */
  text: string;
  sheet: Sheet;
}

/** Does the run of one seed. If it does not balance, it leaves a folder with everything that shows why. */
export async function runSeed(ground: Ground, seed: number, short: boolean): Promise<SeedReport> {
  const result = await run(ground, drawPlan(seed, { short, smallDisk: ground.postgres.smallDisk }));
  const sheet = sheetOf(result);
  const lines = result.faults.length > 0 ? keepFailure(seed, short, result) : [];
  return { seed, text: [lineOf(seed, sheet), ...lines].join('\n'), sheet };
}

function keepFailure(seed: number, short: boolean, { plan, books, faults, output }: RunResult): string[] {
  const dir = join(tmpdir(), 'waypost-faults', String(seed));
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'faults.txt'), `${faults.join('\n')}\n`);
  writeFileSync(join(dir, 'plan.json'), JSON.stringify(plan, undefined, 2));
  writeFileSync(join(dir, 'books.json'), JSON.stringify(books, undefined, 2) ?? '');
  writeFileSync(join(dir, 'output.log'), output);
  return [
    ...faults.slice(0, FAULTS_TOLD),
    ...(faults.length > FAULTS_TOLD ? [`and ${faults.length - FAULTS_TOLD} more`] : []),
    `Everything of this run is in ${dir}. Again: npm run faults -- --seed ${seed}${short ? ' --short' : ''}`,
  ].map((line) => `       ${line}`);
}
