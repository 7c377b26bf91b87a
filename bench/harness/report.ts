import { writeFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import type { CallbackResult } from '../callback.ts';
import type { EventsResult } from '../events.ts';
import type { GrowthResult } from '../growth.ts';
import type { SendResult } from '../send.ts';
import { COLUMNS, cellsOf, show, type TableRow } from './table.ts';
import { commitOf } from './usage.ts';

/** Prints the median of each figure, with the smallest and largest of the rounds. */
export function printFigures(rows: readonly TableRow[]): void {
  printTable([COLUMNS, ...rows.map(cellsOf)]);
}

export function printSend({ comparisons, lost, doubled, memoryPeakMb }: SendResult): void {
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

export function printCallback({ cpuMicros, memoryMb, lost, doubled }: CallbackResult): void {
  for (const [until, { gateway, database }] of Object.entries(cpuMicros))
    console.log(
      `\nProcessor time for each status until it was ${until}, in microseconds: gateway ${show(gateway)}, database ${show(database)}`,
    );
  const { start = Number.NaN, end = Number.NaN } = memoryMb;
  console.log(`Memory of the gateway: ${show(start)} MB after the warm-up, ${show(end)} MB at the end`);
  console.log(`Lost ${lost}, doubled ${doubled}`);
}

export function printEvents({ cpuMicros, lost, doubled }: EventsResult): void {
  const { gateway, database } = cpuMicros;
  console.log(`\nProcessor time for each event, in microseconds: gateway ${show(gateway)}, database ${show(database)}`);
  console.log(`Lost ${lost}, doubled ${doubled}`);
}

export function printGrowth({ lost, doubled, filled }: GrowthResult): void {
  const perSecond = filled.rows / filled.seconds;
  console.log(`\nStored ${filled.rows} rows in ${show(filled.seconds)} s (${show(perSecond)} rows/s)`);
  console.log(`On the disk: ${show(filled.databaseBytes / 1e9)} GB`);
  console.log(`Lost ${lost}, doubled ${doubled}`);
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
