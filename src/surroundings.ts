import type { Logger } from 'pino';
import { openFilesMax } from './kernel/open-files.ts';
import { changedOrder } from './store/changed-order.ts';
import type { Queryable } from './store/database.ts';
import { readInstallation } from './store/installation.ts';
import { lossySettings } from './store/lossy-settings.ts';

/**
 * Enough for the sends that one gateway carries out at once by default, an account's streams, and its own connections to the provider and
 * to endpoints.
 */
const OPEN_FILES_MIN = 4_096;

/** Warns of what would only show later, and then without any error of ours. */
export async function warnOfSurroundings(database: Queryable, log: Logger): Promise<void> {
  const lossy = await lossySettings(database);
  if (lossy.length > 0) log.warn({ settings: lossy }, 'database.may_lose_commits');
  const changed = await changedOrder(database);
  if (changed !== undefined) log.warn(changed, 'database.order_changed');
  const max = openFilesMax();
  if (max !== undefined && max < OPEN_FILES_MIN) log.warn({ max, at_least: OPEN_FILES_MIN }, 'open_files.too_few');
}

/**
 * Tells where a start has made the tables. If DATABASE_URL, its user's `search_path` or the data folder is another one than before, all
 * goes on with an empty installation, and every key is unknown.
 */
export async function tellNewInstallation(
  database: Queryable,
  log: Logger,
  dataDir: string | undefined,
): Promise<void> {
  const installation = await readInstallation(database);
  const level = installation.other_schemas.length > 0 ? 'warn' : 'info';
  log[level]({ ...installation, data_dir: dataDir }, 'installation.new');
}
