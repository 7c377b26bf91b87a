import { writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import type { FigureResult, LoneResult } from './compare.ts';
import type { Spread } from './figures.ts';
import { commitOf } from './usage.ts';

/** A line of the table that is printed, and kept in a page. */
export interface TableRow {
  name: string;
  gateway: string;
  baseline: string;
  compared: string;
  target: string;
  met: string;
}

/** The heads of the columns. `cellsOf` gives what stands below them. */
export const COLUMNS = ['case', 'gateway', 'baseline', 'compared', 'target', 'met'];

export function cellsOf({ name, gateway, baseline, compared, target, met }: TableRow): string[] {
  return [name, gateway, baseline, compared, target, met];
}

export function figureRow({ name, gateway, baseline, by, compared, target, reached }: FigureResult): TableRow {
  const sign = by === 'difference' ? '+' : '';
  const seen = { name, gateway: showSpread(gateway), baseline: showSpread(baseline) };
  return { ...seen, compared: sign + showSpread(compared), ...showTarget(target, reached) };
}

export function loneRow({ name, values, target, reached }: LoneResult): TableRow {
  return { name, gateway: showSpread(values), baseline: '', compared: '', ...showTarget(target, reached) };
}

function showTarget(target: LoneResult['target'], reached: boolean): Pick<TableRow, 'target' | 'met'> {
  if (target === null) return { target: '', met: '' };
  const bound = 'min' in target ? `at least ${target.min}` : `at most ${target.max}`;
  return { target: bound, met: reached ? 'yes' : 'no' };
}

function showSpread({ median, min, max }: Spread): string {
  return `${show(median)} (${show(min)} to ${show(max)})`;
}

export function show(value: number): string {
  return Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(2);
}

/** Writes the tables of some suites, together with the machine they were measured on. */
export function writeMarkdown(path: string, suites: readonly { suite: string; rows: readonly TableRow[] }[]): void {
  const machine = `${cpus().length} processors (${cpus()[0]?.model}), ${Math.round(totalmem() / 2 ** 30)} GB`;
  const head = `Measured ${new Date().toISOString().slice(0, 10)} at ${commitOf()} on ${machine}, Node ${process.version}.`;
  const told = 'Each figure is the median of the rounds, with the smallest and the largest.';
  const tables = suites.map(({ suite, rows }) => `\n## ${suite}\n\n${tableOf(rows)}`);
  writeFileSync(path, `${[head, told, ...tables].join('\n')}\n`);
}

function tableOf(rows: readonly TableRow[]): string {
  const table = [COLUMNS, COLUMNS.map(() => '---'), ...rows.map(cellsOf)];
  return table.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
