import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { showPlan } from './explain.ts';
import type { Planned } from './plans.ts';
import { STORES } from './record.ts';

/** The kept plans of a store: each call with its statements, in the order of the file. */
export interface PlanFile {
  name: string;
  planned: string;
  /** The text of the file; empty if there is none yet. */
  kept: string;
}

export function planFiles(planned: readonly Planned[]): PlanFile[] {
  return STORES.map((store) => {
    const name = `${store
      .replace(/^src\//, '')
      .replace(/\.ts$/, '')
      .replaceAll('/', '.')}.txt`;
    const own = planned.filter((statement) => statement.store === store && !ASKS_CATALOGUE.test(statement.sql));
    const sections = own.map(showStatement);
    return { name, planned: sections.join('\n'), kept: readKept(name) };
  });
}

/** The plan of a statement that reads the catalogue depends on the catalogue's size, and so on how many tests run at the same time. */
const ASKS_CATALOGUE = /\bpg_(class|inherits)\b/;

/** The plans of the other states are shown only if they differ. */
function showStatement({ call, fresh, full, drained }: Planned): string {
  const shown = showPlan(full);
  const others = [
    ['while its tables are new', fresh],
    ['while what passes is gone', drained],
  ] as const;
  const told = others
    .filter(([, plan]) => showPlan(plan) !== shown)
    .map(([when, plan]) => `  ${when}:\n${showPlan(plan, 2)}\n`);
  return `${call}\n${shown}\n${told.join('')}`;
}

const pathOf = (name: string) => join(import.meta.dirname, name);

function readKept(name: string): string {
  try {
    return readFileSync(pathOf(name), 'utf8');
  } catch {
    return ''; // A new store has no file yet. That shows as a difference.
  }
}

export function keepPlans({ name, planned }: PlanFile): void {
  writeFileSync(pathOf(name), planned);
}
