import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { Api } from '../api.ts';
import { clientOf } from '../client-of.ts';
import { type Invocation, textOf, textsOf } from '../command-spec.ts';
import { usage } from '../failure.ts';
import { messageOf } from '../message-of.ts';
import { failureOfClient } from '../problem.ts';
import { PLAN_VERSION } from './batches.ts';
import { type Recipe, readRecipe } from './recipe.ts';
import { openReportFile, type ReportFile } from './report-file.ts';
import {
  checkIdentity,
  checkOpenRows,
  openSince,
  type RunIdentity,
  type RunState,
  readRunState,
  writeRunState,
} from './run-state.ts';
import type { Pieces } from './steady-file.ts';
import { survey } from './survey.ts';

/** A send of a file, ready to begin or to go on. */
export interface Run {
  path: string;
  /** The digests of the file's pieces when it was looked through. */
  pieces: Pieces;
  delimiter: string;
  rows: number;
  /** Rows that are not sent because an earlier one is sent to the same person. */
  repeated: number;
  recipe: Recipe;
  report: ReportFile;
  reportPath: string;
  statePath: string;
  state: RunState;
  /** How all keys of the run begin. */
  keyPrefix: string;
}

/**
 * Reads everything that decides about the send. Throws if that is another send than the one that the report was begun for. Nothing is sent
 * yet.
 */
export async function prepareRun({ api, options }: Invocation): Promise<Run> {
  const path = textOf(options, 'csv') ?? '';
  if (textsOf(options, 'to').length > 0) throw usage('Give either --to or --csv.');
  const delimiter = (textOf(options, 'delimiter') ?? ',').replace('\\t', '\t');
  if (delimiter === '') throw usage('--delimiter must be what parts the columns, such as ";".');
  const recipeOf = (columns: ReadonlySet<string>) => readRecipe(options, columns);
  const { hash: file, pieces, rows, repeated, recipe } = await survey(path, delimiter, recipeOf);
  // A name that the caller gives makes another send of the same file and text.
  const named = textOf(options, 'idempotencyKey') ?? '';
  const identity = {
    file,
    recipe: hash(recipe.fingerprint, delimiter, named),
    account: await accountOf(api),
    plan: PLAN_VERSION,
  };
  const reportPath = textOf(options, 'report') ?? `${path}.report.csv`;
  const statePath = `${reportPath}.state`;
  if (!existsSync(statePath)) await checkShared(api, recipe);
  const isForced = options.force === true;
  const { report, state } = await openRun({ reportPath, statePath, identity, rows, isForced });
  // The prefix does not depend on the plan. So a batch that another version has sent, and that is the same, is replayed and not sent anew.
  const keyPrefix = `waypost-csv-${hash(identity.file, identity.recipe).slice(0, 32)}`;
  return { path, pieces, delimiter, rows, repeated, recipe, report, reportPath, statePath, state, keyPrefix };
}

async function accountOf(api: Api): Promise<string> {
  const account = await clientOf(api).account.get().catch(failOf(api));
  return `${account.id} ${account.mode}`;
}

/**
 * Throws if what all rows share is refused, such as the channel to send from. Otherwise the first request would be refused when there is a
 * report already, and the corrected command would be another send than the one of the report.
 */
async function checkShared(api: Api, { sample }: Recipe): Promise<void> {
  await clientOf(api).validate(sample).catch(failOf(api));
}

/** Throws an error of the client in the command line's words. */
function failOf(api: Api): (error: unknown) => never {
  return (error) => {
    throw failureOfClient(error, api);
  };
}

interface RunToOpen {
  reportPath: string;
  statePath: string;
  identity: RunIdentity;
  /** How many the file has. */
  rows: number;
  isForced: boolean;
}

/** Opens the report of the run, and claims the run for this process. */
async function openRun({ reportPath, statePath, identity, rows: inFile, isForced }: RunToOpen) {
  refuseForeign(reportPath, readRunState(statePath));
  const begunAt = new Date().toISOString();
  const { claimed: state, ...report } = await openReportFile(reportPath, (rows) => {
    // The state is read again and claimed without a pause in between: another process may have begun while the report was read.
    const before = readRunState(statePath);
    refuseForeign(reportPath, before);
    if (before !== undefined) checkIdentity(before, identity, reportPath);
    if (before !== undefined && !isForced) checkOpenRows(before, rows, reportPath);
    const openedAt = (before && openSince(before, rows)) ?? begunAt;
    const begun = { begun_at: before?.begun_at ?? begunAt, open_since: openedAt };
    const reported = before !== undefined && rows < before.reported ? inFile : rows;
    const claimed: RunState = { ...identity, ...begun, reported, pid: process.pid };
    claim(statePath, claimed, reportPath);
    return claimed;
  });
  return { report, state };
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
    throw usage(`The report ${report} cannot be written: ${messageOf(error)}`);
  }
}

function hash(...parts: string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
