import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { usage } from '../failure.ts';
import { markOf } from './person-mark.ts';
import { readRows } from './rows.ts';

export interface Survey {
  /** SHA-256 of the file's bytes. */
  hash: string;
  rows: number;
  /** Rows whose number stands in an earlier row too. */
  repeated: number;
  /** The names of the columns. */
  columns: ReadonlySet<string>;
}

/** Reads the whole file before anything is sent from it, so that one that cannot be read to its end sends nothing. */
export async function survey(path: string, delimiter: string): Promise<Survey> {
  const hash = await hashText(path);
  const seen = new Set<number | string>();
  let rows = 0;
  let columns: ReadonlySet<string> = new Set();
  for await (const { cells } of readRows(path, delimiter)) {
    if (rows === 0) columns = new Set(cells.keys());
    rows += 1;
    seen.add(markOf(cells.get('to') ?? '', rows));
  }
  if (rows === 0) throw usage(`${path} has a header and no rows.`);
  return { hash, rows, repeated: rows - seen.size, columns };
}

async function hashText(path: string): Promise<string> {
  const hash = createHash('sha256');
  // A letter in another encoding would reach people as a question mark.
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of createReadStream(path)) {
      hash.update(chunk);
      decoder.decode(chunk, { stream: true });
    }
    decoder.decode();
  } catch (error) {
    if (error instanceof TypeError) throw usage(`${path} is not in UTF-8. Save it as "CSV UTF-8".`);
    throw usage(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  return hash.digest('hex');
}
