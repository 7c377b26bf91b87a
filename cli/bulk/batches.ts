import type { Recipient } from '../content.ts';
import { markOf } from './person-mark.ts';
import type { Recipe } from './recipe.ts';
import type { Row } from './rows.ts';

/** A row as it is planned: either somebody to send to, or a fault that was found here. */
export interface PlannedRow {
  number: number;
  to: string;
  recipient: Recipient | undefined;
  fault: { code: 'duplicate_recipient' | 'row_invalid'; detail: string } | undefined;
}

/** Consecutive rows that go out in one request. */
export interface Batch {
  /** The batches of a file are numbered from 0. */
  number: number;
  /** How many rows come before it in the file. */
  before: number;
  text: string | undefined;
  rows: PlannedRow[];
}

/**
 * Raised whenever the same file and recipe would give other batches than before. The key of a batch has its number, so a send that was
 * broken off must go on with the batches that it was begun with. Version 2 reads numbers as the gateway does, and version 3 knows several
 * kinds of line ends.
 */
export const PLAN_VERSION = 3;
/** As many recipients as one request takes. */
const BATCH_ROWS_MAX = 50;

/**
 * Divides a file into requests: up to 50 rows each, with the same text. The same file and recipe always give the same batches, and a
 * repetition after a crash depends on that. A person who was in an earlier row is not sent to again.
 */
export async function* planBatches(rows: AsyncIterable<Row>, recipe: Recipe): AsyncGenerator<Batch> {
  const seen = new Set<number | string>();
  let batch: Batch = { number: 0, before: 0, text: undefined, rows: [] };
  let begun = false;
  for await (const row of rows) {
    const { planned, text } = planRow(row, recipe, seen);
    // A row with a fault has no text, so it fits into any batch.
    const fits = planned.fault !== undefined || !begun || batch.text === text;
    if (batch.rows.length === BATCH_ROWS_MAX || !fits) {
      yield batch;
      batch = { number: batch.number + 1, before: batch.before + batch.rows.length, text: undefined, rows: [] };
      begun = false;
    }
    batch.rows.push(planned);
    if (planned.fault !== undefined) continue;
    batch.text = text;
    begun = true;
  }
  if (batch.rows.length > 0) yield batch;
}

/** Plans the next row of a file. `seen` has the persons to whom the rows before it are sent. */
export function planRow(
  row: Row,
  recipe: Recipe,
  seen: Set<number | string>,
): { planned: PlannedRow; text?: string | undefined } {
  const { number, cells } = row;
  const to = cells.get('to') ?? '';
  const faulty = (code: NonNullable<PlannedRow['fault']>['code'], detail: string) => ({
    planned: { number, to, recipient: undefined, fault: { code, detail } },
  });
  const prepared = recipe.prepare(row);
  if (typeof prepared === 'string') return faulty('row_invalid', prepared);
  const mark = markOf(to, number);
  if (seen.has(mark)) return faulty('duplicate_recipient', 'This person is in an earlier row of the file');
  seen.add(mark);
  return { planned: { number, to, recipient: prepared.recipient, fault: undefined }, text: prepared.text };
}
