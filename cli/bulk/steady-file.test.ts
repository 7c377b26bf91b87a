import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFile, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { lookThrough, readSteady } from './steady-file.ts';

const PIECE_BYTES = 65_536;

describe('a file that is read twice', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'waypost-steady-'));
  });
  after(() => rm(folder, { recursive: true }));

  it('is not taken for whole where it was cut between the readings', async () => {
    const path = join(folder, 'cut.csv');
    await writeFile(path, 'x'.repeat(3 * PIECE_BYTES));
    const pieces = await lookThrough(path, () => undefined);
    assert.equal(await countBytes(path, pieces), 3 * PIECE_BYTES);
    await truncate(path, 2 * PIECE_BYTES);
    await assert.rejects(countBytes(path, pieces), /cut\.csv has changed since it was looked through/);
    await appendFile(path, 'x'.repeat(PIECE_BYTES));
    assert.equal(await countBytes(path, pieces), 3 * PIECE_BYTES, 'it is as it was');
    await appendFile(path, 'x');
    await assert.rejects(countBytes(path, pieces), /has changed/);
  });

  it('is no pipe, which nobody would fill a second time', {
    skip: process.platform === 'win32' && 'Windows has no pipes in folders',
  }, async () => {
    const path = join(folder, 'pipe');
    execFileSync('mkfifo', [path]);
    await assert.rejects(
      lookThrough(path, () => undefined),
      /write it into a file/,
    );
  });
});

async function countBytes(path: string, pieces: readonly string[]): Promise<number> {
  let bytes = 0;
  for await (const piece of readSteady(path, pieces)) bytes += piece.length;
  return bytes;
}
