import type { Queryable } from '../store/database.ts';

/**
 * A week ahead and more, looked at every hour and before every start, with statistics that cost little to gather. Each
 * partition costs every statement a little.
 */
const PARTITIONS_MAKE = `
  select partitions_make(parent, now(), now() + interval '8 days'), partition_statistics(parent)
  from unnest(array['request', 'message', 'notification', 'timeline', 'event', 'attempt']) as parent`;

export async function makePartitions(store: Queryable): Promise<void> {
  await store.query(PARTITIONS_MAKE);
}
