import { createHash } from 'node:crypto';
import { usage } from '../failure.ts';
import { messageOf } from '../message-of.ts';
import { markOf } from './person-mark.ts';
import { readRows } from './rows.ts';
import { lookThrough, type Pieces } from './steady-file.ts';

export interface Survey {
  /** SHA-256 of the file's bytes. */
  hash: string;
  pieces: Pieces;
  rows: number;
  /** How many rows have a number that is in an earlier row too. */
  repeated: number;
  /** The names of the columns. */
  columns: ReadonlySet<string>;
}

/** Reads the whole file before anything is sent from it. So nothing is sent from a file that cannot be read to its end. */
export async function survey(path: string, delimiter: string): Promise<Survey> {
  const { hash, pieces } = await readText(path);
  const seen = new Set<number | string>();
  let rows = 0;
  let columns: ReadonlySet<string> = new Set();
  for await (const { cells } of readRows(path, delimiter, pieces)) {
    if (rows === 0) columns = new Set(cells.keys());
    rows += 1;
    seen.add(markOf(cells.get('to') ?? '', rows));
  }
  if (rows === 0) throw usage(`${path} has a header and no rows.`);
  return { hash, pieces, rows, repeated: rows - seen.size, columns };
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
