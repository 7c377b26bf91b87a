import type { Batch } from './batches.ts';
import type { Outcome, ReportFile } from './report-file.ts';
import { type RunState, writeRunState } from './run-state.ts';

interface Deps {
  batches: AsyncIterable<Batch>;
  transmit(batch: Batch): Promise<Outcome[]>;
  report: ReportFile;
  statePath: string;
  /** The state when this process began. */
  state: RunState;
  /** Once it is aborted, no batch is begun any more. */
  stop: AbortSignal;
  onProgress(): void;
}

interface Flight {
  batch: Batch;
  sinceMs: number;
  outcomes: Promise<Outcome[]>;
}

/** Enough to use a key's whole rate over a slow line, and few enough to be sent again after a crash. */
const IN_FLIGHT_MAX = 4;
/** The time in the state may be too early, which only makes a later run more careful. So it is not written for every batch. */
const STATE_EVERY_MS = 5_000;

/**
 * Sends the rows that the report does not have yet, several batches at once, and reports them in the order of the file. Throws the error
 * that ended a batch. The report is complete up to that batch, later batches may still be under way, and the same run can be continued.
 */
export async function runBatches(deps: Deps): Promise<void> {
  const { batches, report, state, stop } = deps;
  const flights: Flight[] = [];
  // The process before may have begun as many batches, and only the state says since when.
  let inherited = IN_FLIGHT_MAX;
  let savedMs = save(deps, state.open_since);
  const settleOldest = async () => {
    const [oldest] = flights;
    if (oldest === undefined) return;
    const outcomes = await oldest.outcomes;
    flights.shift();
    report.append(outcomes.slice(report.rows() - oldest.batch.before));
    deps.onProgress();
    if (performance.now() - savedMs < STATE_EVERY_MS) return;
    savedMs = save(deps, new Date(Math.min(Date.now(), ...flights.map(({ sinceMs }) => sinceMs))).toISOString());
  };
  let unread: { error: unknown } | undefined;
  for await (const batch of upToFailure(batches, (error) => (unread = { error }))) {
    if (batch.before + batch.rows.length <= report.rows()) continue;
    if (flights.length === IN_FLIGHT_MAX) await settleOldest();
    if (stop.aborted) break;
    const sinceMs = inherited > 0 ? Date.parse(state.open_since ?? '') || Date.now() : Date.now();
    inherited -= 1;
    const outcomes = deps.transmit(batch);
    // Its outcome is awaited in turn. Until then a failure must not end the process as an unhandled rejection.
    outcomes.catch(() => undefined);
    flights.push({ batch, sinceMs, outcomes });
  }
  while (flights.length > 0) await settleOldest();
  if (unread !== undefined) throw unread.error;
  save(deps, null);
}

/** The batches up to the point where the file cannot be read on. So the batches under way are reported before that error is thrown. */
async function* upToFailure(batches: AsyncIterable<Batch>, onFailure: (error: unknown) => void): AsyncGenerator<Batch> {
  try {
    yield* batches;
  } catch (error) {
    onFailure(error);
  }
}

function save({ report, statePath, state }: Deps, openSince: string | null): number {
  // The report goes to the disk first: the state must never know of rows that the report has lost.
  report.sync();
  const reported = Math.max(state.reported, report.rows());
  writeRunState(statePath, { ...state, reported, open_since: openSince });
  return performance.now();
}
