import type { Queryable } from '../../src/store/database.ts';

const TABLES = `
  select relname as name from pg_class
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by name`;

/** The names of all tables, in their order; one that is parted by week is one table. */
export async function listTables(store: Queryable): Promise<string[]> {
  return (await store.query<{ name: string }>(TABLES)).map(({ name }) => name);
}
