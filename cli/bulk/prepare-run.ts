import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { clientOf } from '../client-of.ts';
import { type Invocation, textOf, textsOf } from '../command-spec.ts';
import { usage } from '../failure.ts';
import { failureOfClient } from '../problem.ts';
import { PLAN_VERSION } from './batches.ts';
import { type Recipe, readRecipe } from './recipe.ts';
import { openReportFile, type ReportFile } from './report-file.ts';
import { checkIdentity, checkOpenRows, openSince, type RunState, readRunState } from './run-state.ts';
import { survey } from './survey.ts';

/** A send of a file, ready to begin or to go on. */
export interface Run {
  path: string;
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
  const { hash: file, rows, repeated, columns } = await survey(path, delimiter);
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
  const before = readRunState(statePath);
  if (before === undefined && existsSync(reportPath))
    throw usage(
      `${reportPath} is there already, and not as a report that can be gone on with. Name another one with --report.`,
    );
  const report = await openReportFile(reportPath, (kept) => {
    if (before === undefined) return;
    checkIdentity(before, now, reportPath);
    if (options.force !== true) checkOpenRows(before, kept, reportPath);
  });
  const begunAt = new Date().toISOString();
  const open = before && openSince(before, report.rows());
  const state = {
    ...now,
    begun_at: before?.begun_at ?? begunAt,
    reported: report.rows(),
    open_since: open ?? begunAt,
    pid: process.pid,
  };
  // Without the plan, so that what another version has sent in the same batch is replayed and not sent anew.
  const keyPrefix = `waypost-csv-${hash(now.file, now.recipe).slice(0, 32)}`;
  return { path, delimiter, rows, repeated, recipe, report, reportPath, statePath, state, keyPrefix };
}

function hash(...parts: string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
