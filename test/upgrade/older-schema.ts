import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '../../src/store/database.ts';
import { migrate } from '../../src/store/migrate.ts';

const MIGRATIONS_DIR = 'src/store/migrations';

/** Does what the start of an older version does, which has the migrations up to this number only. */
export async function migrateTo(database: Database, last: number): Promise<void> {
  const olderDir = await mkdtemp(join(tmpdir(), 'waypost-older-'));
  try {
    for (const file of (await readdir(MIGRATIONS_DIR)).sort().slice(0, last))
      await copyFile(join(MIGRATIONS_DIR, file), join(olderDir, file));
    await migrate(database, olderDir);
  } finally {
    await rm(olderDir, { recursive: true });
  }
}
