import { askSeldom } from '../kernel/ask-seldom.ts';
import type { KeepLimits } from '../kernel/keep.ts';
import type { QueueLengths } from '../observe/store-metrics.ts';
import {
  readDeliveryQueues,
  readNotificationQueues,
  readRequestQueue,
  readSuspendedChannels,
} from '../queues/store.ts';
import type { Database, Queryable } from '../store/database.ts';

/** Nobody acts on a larger number, and counting on would cost the most when things are worst. */
const COUNTED_MAX = 10_000;
const DELIVERIES_AN_ENDPOINT_MAX = 100;
/** Several scrapers ask the database no more often than this. */
const BELIEVED_MS = 5_000;
/** A scrape has 10 s at most by default; a database that is away must not take them. */
const WAIT_MS = 1_000;
const STATEMENT_TIMEOUT_MS = 2_000;

/** Tells how long the queues are; undefined if the database did not say so in time. */
export function createQueueLook(database: Database, limits: () => KeepLimits): () => Promise<QueueLengths | undefined> {
  const ask = async (): Promise<QueueLengths | undefined> => {
    try {
      return await database.transaction((tx) => readQueues(tx, limits()), { statementTimeoutMs: STATEMENT_TIMEOUT_MS });
    } catch {
      // Whatever it is: the metrics say that the database did not tell, and the rest of them is still wanted.
      return undefined;
    }
  };
  return askSeldom(ask, { believedMs: BELIEVED_MS, waitMs: WAIT_MS, late: () => undefined });
}

/** How long every queue is, over all accounts. */
async function readQueues(tx: Queryable, limits: KeepLimits): Promise<QueueLengths> {
  return new Map([
    ...(await readNotificationQueues(tx, COUNTED_MAX, limits)),
    ...(await readRequestQueue(tx, COUNTED_MAX)),
    ...(await readSuspendedChannels(tx, COUNTED_MAX)),
    ...(await readDeliveryQueues(tx, DELIVERIES_AN_ENDPOINT_MAX)),
  ]);
}
