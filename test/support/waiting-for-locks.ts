import type { Queryable } from '../../src/store/database.ts';

/** How many statements in this database wait for a lock. */
export async function countWaitingForLocks(database: Queryable): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    `select count(*) as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return row?.count ?? 0;
}
