import { createHash } from 'node:crypto';
import { usage } from '../failure.ts';
import { messageOf } from '../message-of.ts';
import { planRow } from './batches.ts';
import type { Recipe } from './recipe.ts';
import { readRows } from './rows.ts';
import { lookThrough, type Pieces } from './steady-file.ts';

export interface Survey {
  /** SHA-256 of the file's bytes. */
  hash: string;
  pieces: Pieces;
  rows: number;
  /** How many rows are not sent because an earlier one is sent to the same person. */
  repeated: number;
  recipe: Recipe;
}

/**
 * Reads the whole file before anything is sent from it. So nothing is sent from a file that cannot be read to its end. `recipeOf` is
 * called with the names of the columns.
 */
export async function survey(
  path: string,
  delimiter: string,
  recipeOf: (columns: ReadonlySet<string>) => Recipe,
): Promise<Survey> {
  const { hash, pieces } = await readText(path);
  const seen = new Set<number | string>();
  let [rows, repeated] = [0, 0];
  let recipe: Recipe | undefined;
  for await (const row of readRows(path, delimiter, pieces)) {
    recipe ??= recipeOf(new Set(row.cells.keys()));
    rows += 1;
    if (planRow(row, recipe, seen).planned.fault?.code === 'duplicate_recipient') repeated += 1;
  }
  if (recipe === undefined) throw usage(`${path} has a header and no rows.`);
  return { hash, pieces, rows, repeated, recipe };
}

async function readText(path: string): Promise<{ hash: string; pieces: Pieces }> {
  const hash = createHash('sha256');
  // In another encoding some letters would reach people as question marks.
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    const pieces = await lookThrough(path, (bytes) => {
      hash.update(bytes);
      decoder.decode(bytes, { stream: true });
    });
    decoder.decode();
    return { hash: hash.digest('hex'), pieces };
  } catch (error) {
    if (error instanceof TypeError) throw usage(`${path} is not in UTF-8. Save it as "CSV UTF-8".`);
    throw usage(`${path} cannot be read: ${messageOf(error)}`);
  }
}
