import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { clientOf } from '../client-of.ts';
import { type Invocation, textOf, textsOf } from '../command-spec.ts';
import { usage } from '../failure.ts';
import { failureOfClient } from '../problem.ts';
import { PLAN_VERSION } from './batches.ts';
import { type Recipe, readRecipe } from './recipe.ts';
import { openReportFile, type ReportFile } from './report-file.ts';
import { checkIdentity, checkOpenRows, openSince, type RunState, readRunState, writeRunState } from './run-state.ts';
import type { Pieces } from './steady-file.ts';
import { survey } from './survey.ts';

/** A send of a file, ready to begin or to go on. */
export interface Run {
  path: string;
  /** What it was when it was looked through. */
  pieces: Pieces;
  delimiter: string;
  rows: number;
  /** Rows whose number stands in an earlier row. */
  repeated: number;
  recipe: Recipe;
  report: ReportFile;
  reportPath: string;
  statePath: string;
  state: RunState;
  /** What all its keys begin with. */
  keyPrefix: string;
}

/** Reads all that decides about the send, and refuses what would not be the one that was begun. Nothing is sent yet. */
export async function prepareRun({ api, options }: Invocation): Promise<Run> {
  const path = textOf(options, 'csv') ?? '';
  if (textsOf(options, 'to').length > 0) throw usage('Give either --to or --csv.');
  const delimiter = (textOf(options, 'delimiter') ?? ',').replace('\\t', '\t');
  if (delimiter === '') throw usage('--delimiter must be what parts the columns, such as ";".');
  const { hash: file, pieces, rows, repeated, columns } = await survey(path, delimiter);
  const recipe = readRecipe(options, columns);
  const account = await clientOf(api)
    .account.get()
    .catch((error: unknown) => {
      throw failureOfClient(error, api);
    });
  // A name of the caller's makes the same file and text another send.
  const named = textOf(options, 'idempotencyKey') ?? '';
  const now = {
    file,
    recipe: hash(recipe.fingerprint, delimiter, named),
    account: `${account.id} ${account.mode}`,
    plan: PLAN_VERSION,
  };
  const reportPath = textOf(options, 'report') ?? `${path}.report.csv`;
  const statePath = `${reportPath}.state`;
  refuseForeign(reportPath, readRunState(statePath));
  const begunAt = new Date().toISOString();
  let state: RunState | undefined;
  const report = await openReportFile(reportPath, (rows) => {
    // Read again, and taken in the same breath: another process may have begun while the report was read.
    const before = readRunState(statePath);
    refuseForeign(reportPath, before);
    if (before !== undefined) checkIdentity(before, now, reportPath);
    if (before !== undefined && options.force !== true) checkOpenRows(before, rows, reportPath);
    const openedAt = (before && openSince(before, rows)) ?? begunAt;
    state = { ...now, begun_at: before?.begun_at ?? begunAt, reported: rows, open_since: openedAt, pid: process.pid };
    claim(statePath, state, reportPath);
  });
  if (state === undefined) throw new Error('The report was opened and not taken');
  // Without the plan, so that what another version has sent in the same batch is replayed and not sent anew.
  const keyPrefix = `waypost-csv-${hash(now.file, now.recipe).slice(0, 32)}`;
  return { path, pieces, delimiter, rows, repeated, recipe, report, reportPath, statePath, state, keyPrefix };
}

function refuseForeign(report: string, state: RunState | undefined): void {
  if (state === undefined && existsSync(report))
    throw usage(
      `${report} is there already, and not as a report that can be gone on with. Name another one with --report.`,
    );
}

function claim(path: string, state: RunState, report: string): void {
  try {
    writeRunState(path, state);
  } catch (error) {
    throw usage(`The report ${report} cannot be written: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function hash(...parts: string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
