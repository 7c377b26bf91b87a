import type { Queryable } from '../store/database.ts';

/** Four weeks ahead, so that a gateway which is not restarted for long never runs out of partitions. */
const PARTITIONS_MAKE = `
  select partitions_make(parent, now(), now() + interval '28 days') from unnest(array['request', 'message', 'notification', 'timeline', 'event', 'attempt']) as parent`;

export async function makePartitions(store: Queryable): Promise<void> {
  await store.query(PARTITIONS_MAKE);
}
