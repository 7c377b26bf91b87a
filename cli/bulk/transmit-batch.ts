import { type Waypost, WaypostError } from '../../client/src/index.ts';
import type { Recipient } from '../content.ts';
import { detailOf } from '../detail-of.ts';
import type { Batch, PlannedRow } from './batches.ts';
import type { Recipe } from './recipe.ts';
import type { Outcome } from './report-file.ts';

interface Deps {
  client: Waypost;
  recipe: Recipe;
  signal: AbortSignal;
  /** Called with how many rows an earlier run or an earlier try had sent already, so that they were not sent again. */
  onReplayed(rows: number): void;
}

interface Sending extends PlannedRow {
  recipient: Recipient;
}

/** Sends a batch under its key, and returns the outcome of every row in order. Throws if it stays open what became of them. */
export async function transmitBatch(deps: Deps, batch: Batch, key: string): Promise<Outcome[]> {
  const rows = batch.rows.flatMap((row) => (row.recipient === undefined ? [] : [{ ...row, recipient: row.recipient }]));
  const sent = rows.length === 0 ? [] : await send(deps, batch.text, rows, key);
  const outcomes = new Map(sent.map((outcome) => [outcome.row, outcome]));
  return batch.rows.map(({ number, to, fault }) => {
    if (fault !== undefined) return { row: number, to, status: 'failed', ...fault };
    const outcome = outcomes.get(number);
    if (outcome === undefined) throw new Error(`The answer has no entry for row ${number}`);
    return outcome;
  });
}

async function send(deps: Deps, text: string | undefined, rows: readonly Sending[], key: string): Promise<Outcome[]> {
  const { client, recipe, signal } = deps;
  const body = recipe.compose(
    text,
    rows.map(({ recipient }) => recipient),
  );
  try {
    const { results, replayed } = await client.send(body, { idempotencyKey: key, signal });
    if (replayed) deps.onReplayed(rows.length);
    return rows.map(({ number }, place) => {
      const entry = results[place];
      if (entry === undefined) throw new Error('The answer has fewer entries than the request');
      const { to, status, id, message_id } = entry;
      const error = 'error' in entry ? entry.error : undefined;
      return { row: number, to, status, id, message_id, code: error?.code, detail: detailOf(error) };
    });
  } catch (error) {
    const faults = faultsOf(error);
    if (faults === undefined) throw error;
    // The gateway refuses the whole request for one bad row. The other rows are sent without it, under a key of their own.
    const refused = rows.flatMap(({ number, to }, place) => {
      const detail = faults.get(place);
      return detail === undefined
        ? []
        : [{ row: number, to, status: 'failed' as const, code: 'invalid_request', detail }];
    });
    const others = rows.filter((_, place) => !faults.has(place));
    return [...refused, ...(others.length === 0 ? [] : await send(deps, text, others, `${key}.1`))];
  }
}

/** The faults by the places of their rows; undefined if the request was refused for anything else than its rows. */
function faultsOf(error: unknown): Map<number, string> | undefined {
  if (!(error instanceof WaypostError) || error.code !== 'invalid_request' || error.errors.length === 0)
    return undefined;
  const faults = new Map<number, string>();
  for (const fault of error.errors) {
    const [, place, member] = ('pointer' in fault && /^#\/to\/(\d+)(.*)$/.exec(fault.pointer)) || [];
    if (place === undefined) return undefined;
    faults.set(Number(place), `${member?.replace('/', '')}: ${fault.detail}`.replace(/^: /, ''));
  }
  return faults;
}
