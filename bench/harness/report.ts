import { writeFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import type { CallbackResult } from '../callback.ts';
import type { EventsResult } from '../events.ts';
import type { GrowthResult } from '../growth.ts';
import type { LimitsResult } from '../limits.ts';
import type { SendResult } from '../send.ts';
import type { StartResult } from '../start.ts';
import type { FigureResult, LoneResult } from './compare.ts';
import type { Spread } from './figures.ts';
import { commitOf } from './usage.ts';

/** Prints the median of each figure, with the smallest and largest of the rounds. */
export function printSend({ comparisons, lost, doubled, memoryPeakMb }: SendResult): void {
  printTable([
    ['case', 'gateway', 'baseline', 'compared', 'target', ''],
    ...comparisons.flatMap(({ figures }) => figures.map(rowOf)),
  ]);
  console.log('\nProcessor time for each message, in microseconds:');
  printTable([
    ['case', 'gateway', 'database'],
    ...comparisons.map(({ figures, cpuMicros }) => [
      figures[0]?.name ?? '',
      show(cpuMicros.gateway),
      show(cpuMicros.database),
    ]),
  ]);
  const { callers64 = Number.NaN, whole = Number.NaN } = memoryPeakMb;
  console.log(`\nMemory of the gateway, peak: ${show(callers64)} MB with 64 callers, ${show(whole)} MB in all`);
  console.log(`Lost ${lost}, doubled ${doubled}`);
}

export function printStart({ firstSeconds, laterSeconds, targets }: StartResult): void {
  printTable([
    ['start', 'seconds', 'target'],
    ['first, fresh data folder', showSpread(firstSeconds), `< ${targets.firstSecondsMax}`],
    ['later', showSpread(laterSeconds), `< ${targets.laterSecondsMax}`],
  ]);
}

export function printCallback({ compared, alone, cpuMicros, memoryMb, lost, doubled }: CallbackResult): void {
  printFigures(compared, alone);
  for (const [until, { gateway, database }] of Object.entries(cpuMicros))
    console.log(
      `\nProcessor time for each status until it was ${until}, in microseconds: gateway ${show(gateway)}, database ${show(database)}`,
    );
  const { start = Number.NaN, end = Number.NaN } = memoryMb;
  console.log(`Memory of the gateway: ${show(start)} MB after the warm-up, ${show(end)} MB at the end`);
  console.log(`Lost ${lost}, doubled ${doubled}`);
}

export function printEvents({ compared, alone, cpuMicros, lost, doubled }: EventsResult): void {
  printFigures(compared, alone);
  const { gateway, database } = cpuMicros;
  console.log(`\nProcessor time for each event, in microseconds: gateway ${show(gateway)}, database ${show(database)}`);
  console.log(`Lost ${lost}, doubled ${doubled}`);
}

export function printLimits({ alone }: LimitsResult): void {
  printTable([['case', 'gateway', 'target', ''], ...alone.map(loneRowOf)]);
}

export function printGrowth({ compared, alone, lost, doubled, filled }: GrowthResult): void {
  printFigures(compared, alone);
  const perSecond = filled.rows / filled.seconds;
  console.log(`\nStored ${filled.rows} rows in ${show(filled.seconds)} s (${show(perSecond)} rows/s)`);
  console.log(`On the disk: ${show(filled.databaseBytes / 1e9)} GB`);
  console.log(`Lost ${lost}, doubled ${doubled}`);
}

function printFigures(compared: readonly FigureResult[], alone: readonly LoneResult[]): void {
  printTable([['case', 'gateway', 'baseline', 'compared', 'target', ''], ...compared.map(rowOf)]);
  console.log();
  printTable([['case', 'gateway', 'target', ''], ...alone.map(loneRowOf)]);
}

function loneRowOf({ name, values, target, reached }: LoneResult): string[] {
  return [name, showSpread(values), showTarget(target), showReached(target, reached)];
}

function showTarget(target: LoneResult['target']): string {
  if (target === null) return '';
  return 'min' in target ? `>= ${target.min}` : `<= ${target.max}`;
}

function rowOf({ name, gateway, baseline, by, compared, target, reached }: FigureResult): string[] {
  const sign = by === 'difference' ? '+' : '';
  return [
    name,
    showSpread(gateway),
    showSpread(baseline),
    sign + showSpread(compared),
    showTarget(target),
    showReached(target, reached),
  ];
}

function showReached(target: LoneResult['target'], reached: boolean): string {
  if (target === null) return '';
  return reached ? 'ok' : 'MISSED';
}

function printTable(rows: readonly string[][]): void {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  for (const row of rows)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
}

function showSpread({ median, min, max }: Spread): string {
  return `${show(median)} (${show(min)}..${show(max)})`;
}

function show(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(2);
}

/** Writes what was measured, together with the machine it was measured on. */
export function writeResult(path: string, suite: string, result: unknown): void {
  const [cpu] = cpus();
  const machine = {
    processors: cpus().length,
    model: cpu?.model,
    memory_gb: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
  };
  const engine = { node: process.version, database: 'embedded PostgreSQL' };
  const kept = { suite, at: new Date().toISOString(), commit: commitOf(), machine, engine, result };
  writeFileSync(path, `${JSON.stringify(kept, undefined, 2)}\n`);
}
