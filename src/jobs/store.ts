import { DatabaseError } from 'pg';
import type { Queryable, Transaction } from '../store/database.ts';

/**
 * A week ahead and more, looked at every hour and before every start, with statistics that cost little to gather. Each
 * partition costs every statement a little.
 */
const PARTITIONS_MAKE = `
  select partitions_make($1, now(), now() + interval '8 days'), partition_statistics($1)`;

/** Makes the weeks of one table that are not there yet. */
export async function makePartitions(tx: Queryable, parent: string): Promise<void> {
  await tx.query(PARTITIONS_MAKE, [parent]);
}

/**
 * Until the end of the transaction nobody can write a row that falls into no week. `parent` must be one of our own tables: it goes
 * into the statement's text.
 */
export async function holdStrays(tx: Transaction, parent: string): Promise<void> {
  await tx.runScript(`lock table ${parent}_default in share row exclusive mode`);
}

const CHECK_VIOLATION = '23514';

/** Whether a week could not be made because a row of it came into the default partition while those that were there were moved. */
export function isStrayInTheWay(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === CHECK_VIOLATION && error.table?.endsWith('_default') === true;
}
