import { clientOf } from '../client-of.ts';
import type { Invocation } from '../command-spec.ts';
import { EXIT, Failure, isSystemError } from '../failure.ts';
import { failureOfClient } from '../problem.ts';
import { planBatches } from './batches.ts';
import { prepareRun, type Run } from './prepare-run.ts';
import { createProgress } from './progress.ts';
import { readRows } from './rows.ts';
import { runBatches } from './run-batches.ts';
import { releaseRun } from './run-state.ts';
import { stopOnSignals } from './stop-on-signals.ts';
import { transmitBatch } from './transmit-batch.ts';
import { watchFetch } from './watch-fetch.ts';

/** How long one batch is repeated while the gateway is busy or cannot be reached. */
const PATIENCE_MS = 15 * 60_000;
/** Only the patience limits the repetitions, and not their number. */
const RETRIES_MAX = 1_000_000;

/**
 * Sends to every row of a CSV file. The keys are made from the file's content and the options, and the report says how far the send has
 * come. So the same command continues a send that was broken off, and what was under way then is not sent twice.
 */
export async function sendFile(invocation: Invocation): Promise<number> {
  const { out } = invocation;
  const run = await prepareRun(invocation);
  const { rows, repeated, report, reportPath } = run;
  if (repeated > 0)
    out.note(`Rows that repeat the number of an earlier one, and are not sent (duplicate_recipient): ${repeated}`);
  const done = report.rows();
  if (done === rows) out.note(`${reportPath} has all ${rows} rows already: nothing is sent.`);
  else if (done > 0) out.note(`${reportPath} has ${done} of ${rows} rows already: going on after them.`);
  let replayed = 0;
  let failure: unknown;
  try {
    await carryOut(run, invocation, (count) => {
      replayed += count;
    });
  } catch (error) {
    failure = error;
  }
  report.close();
  try {
    releaseRun(run.statePath);
  } catch (error) {
    failure ??= error;
  }
  if (replayed > 0)
    out.note(
      `${replayed} rows had been sent by an earlier run, or by a try whose answer was lost, and were not sent again.`,
    );
  return conclude(run, invocation, failure);
}

async function carryOut(run: Run, { api, out, around }: Invocation, onReplayed: (rows: number) => void): Promise<void> {
  const { path, pieces, delimiter, rows, recipe, report, statePath, state, keyPrefix } = run;
  const progress = createProgress(rows, report.rows(), report.totals, around.stderr);
  const stop = stopOnSignals(around, () =>
    out.note('\nStopping as soon as what is under way is done. Ctrl-C again stops at once.'),
  );
  const patient = { deadlineMs: PATIENCE_MS, retriesMax: RETRIES_MAX, fetch: watchFetch(progress.waiting) };
  const deps = { client: clientOf(api, patient), recipe, signal: stop.now, onReplayed };
  try {
    await runBatches({
      batches: planBatches(readRows(path, delimiter, pieces), recipe),
      transmit: (batch) => transmitBatch(deps, batch, `${keyPrefix}-${batch.number}`),
      report,
      statePath,
      state,
      stop: stop.soon,
      onProgress: progress.update,
    });
  } catch (error) {
    if (!stop.now.aborted) throw error; // A batch that Ctrl-C has broken off is no failure: the next run sends it again under its key.
  } finally {
    // After a failure other batches may still be under way. The next run sends them again under their keys.
    stop.breakOff();
    progress.end();
  }
}

function conclude({ path, rows, report, reportPath }: Run, { api, out }: Invocation, failure: unknown): number {
  const { accepted, failed, unknown } = report.totals;
  const done = report.rows();
  if (out.json) out.line(JSON.stringify({ rows, reported: done, accepted, failed, unknown, report: reportPath }));
  else
    out.line(
      `${done} of ${rows} rows: ${accepted} accepted, ${failed} failed, ${unknown} unknown. Report file: ${reportPath}`,
    );
  const goOn = 'The same command goes on from here, and sends nothing twice.';
  // It need not name the file, such as on a full disk.
  if (isSystemError(failure))
    throw new Failure(`${path} or ${reportPath}: ${failure.message}\nWithin 23 hours: ${goOn}`);
  if (failure !== undefined) throw new Failure(`${failureOfClient(failure, api).message}\nWithin 23 hours: ${goOn}`);
  if (done === rows) return failed + unknown === 0 ? EXIT.done : EXIT.failed;
  out.note(goOn);
  return EXIT.interrupted;
}
