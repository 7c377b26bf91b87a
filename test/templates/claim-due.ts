import type { Queryable } from '../../src/store/database.ts';
import { claimDueSyncs, readDatabaseTime } from '../../src/templates/sync-store.ts';

/** Claims the readings that are due, as a round that begins now would. */
export async function claimDue(database: Queryable, limit: number) {
  return claimDueSyncs(database, await readDatabaseTime(database), limit);
}
