import { createHash } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { Failure } from '../failure.ts';

/** The digests of a file's pieces, by which a change of the file is noticed. */
export type Pieces = readonly string[];

/** Large enough that any file has few digests, and small enough to wait for a whole one. */
const PIECE_BYTES = 65_536;

/** Reads a file for the first time. `onPiece` is called with its bytes. */
export async function lookThrough(path: string, onPiece: (bytes: Buffer) => void): Promise<Pieces> {
  if ((await stat(path)).isFIFO()) throw new Error('it is a pipe, and is read more than once: write it into a file');
  const pieces: string[] = [];
  for await (const bytes of readPieces(path)) {
    onPiece(bytes);
    pieces.push(digest(bytes));
  }
  return pieces;
}

/**
 * Reads the file once more, which may take as long as a send does. Throws before the first piece that has changed: half a row of one file
 * and half a row of another could make a number that is in neither.
 */
export async function* readSteady(path: string, pieces: Pieces): AsyncGenerator<Buffer> {
  let place = 0;
  for await (const bytes of readPieces(path)) {
    if (digest(bytes) !== pieces[place]) throw changed(path);
    place += 1;
    yield bytes;
  }
  if (place !== pieces.length) throw changed(path);
}

/** All pieces but the last one are full, however much a single read returns. */
async function* readPieces(path: string): AsyncGenerator<Buffer> {
  const file = await open(path);
  try {
    for (let filled = PIECE_BYTES; filled === PIECE_BYTES; ) {
      const bytes = Buffer.alloc(PIECE_BYTES);
      filled = 0;
      for (let read = -1; read !== 0 && filled < PIECE_BYTES; filled += read)
        read = (await file.read(bytes, filled, PIECE_BYTES - filled, null)).bytesRead;
      if (filled > 0) yield bytes.subarray(0, filled);
    }
  } finally {
    await file.close();
  }
}

function digest(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('base64');
}

function changed(path: string): Failure {
  return new Failure(
    `${path} has changed since it was looked through. What is in it now is another send; the report says what was sent of this one.`,
  );
}
