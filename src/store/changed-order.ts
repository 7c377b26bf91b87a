import type { Queryable } from './database.ts';

/** By which version of its locale the texts of a database were put in order when it was made, and by which its server orders them now. */
export interface ChangedOrder {
  made_with: string;
  now: string;
}

/** The locale C is the server's own, and has no version. */
const CHANGED_ORDER = `
  select datcollversion as made_with, pg_database_collation_actual_version(oid) as now
  from pg_database where datname = current_database() and datcollversion <> pg_database_collation_actual_version(oid)`;

/**
 * Whether the system below the server, such as another version of glibc or ICU, orders texts in another way than when the database was made;
 * undefined if it does not. An index on texts may then not find what is in it.
 */
export async function changedOrder(store: Queryable): Promise<ChangedOrder | undefined> {
  return (await store.query<ChangedOrder>(CHANGED_ORDER))[0];
}
