import type { Queryable } from '../store/database.ts';

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
