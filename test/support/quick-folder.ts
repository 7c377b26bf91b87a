import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';

/** The data that all test files have at one time take less than half of it. */
const ROOM_BYTES = 4 * 2 ** 30;

/**
 * A folder in memory, if Linux offers one with enough room. A test database is a thousand small files, and so is each server that a
 * test starts. On ext4 making, flushing and removing them takes a fifth of the processor time of such tests, and a third of the time they take.
 */
export async function findQuickFolder(): Promise<string> {
  const memory = await statfs('/dev/shm').catch(() => undefined);
  return memory !== undefined && memory.bavail * memory.bsize >= ROOM_BYTES ? '/dev/shm' : tmpdir();
}
