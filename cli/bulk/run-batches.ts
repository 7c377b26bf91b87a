import type { Batch } from './batches.ts';
import type { Outcome, ReportFile } from './report-file.ts';
import { type RunState, writeRunState } from './run-state.ts';

interface Deps {
  batches: AsyncIterable<Batch>;
  transmit(batch: Batch): Promise<Outcome[]>;
  report: ReportFile;
  statePath: string;
  /** As it is at the start of this process. */
  state: RunState;
  /** Nothing more is begun once it is aborted. */
  stop: AbortSignal;
  onProgress(): void;
}

interface Flight {
  batch: Batch;
  sinceMs: number;
  outcomes: Promise<Outcome[]>;
}

/** Enough to use a key's rate over a slow line, and few enough to be asked for again after a crash. */
const IN_FLIGHT_MAX = 4;
/** An older time in the state is only more careful, so it need not be written for every batch. */
const STATE_EVERY_MS = 5_000;

/**
 * Sends what the report does not have yet, some batches at once, and reports them in the order of the file. Throws what has
 * broken a batch: the report is right up to there, others may still be under way, and the same run can go on.
 */
export async function runBatches(deps: Deps): Promise<void> {
  const { batches, report, state, stop } = deps;
  const flights: Flight[] = [];
  // The process before may have begun as many, at a time that only the state knows.
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
    // It is awaited in its turn; until then its failure must not end the process.
    outcomes.catch(() => undefined);
    flights.push({ batch, sinceMs, outcomes });
  }
  while (flights.length > 0) await settleOldest();
  if (unread !== undefined) throw unread.error;
  save(deps, null);
}

/** Where the file cannot be read on, what is under way is reported before that is told. */
async function* upToFailure(batches: AsyncIterable<Batch>, onFailure: (error: unknown) => void): AsyncGenerator<Batch> {
  try {
    yield* batches;
  } catch (error) {
    onFailure(error);
  }
}

function save({ report, statePath, state }: Deps, openSince: string | null): number {
  // The state must never know of rows that the report has lost.
  report.sync();
  writeRunState(statePath, { ...state, reported: report.rows(), open_since: openSince });
  return performance.now();
}
