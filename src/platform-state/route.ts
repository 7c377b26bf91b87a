import { platformRoute, type Route } from '../http/route.ts';
import { idTimeMs } from '../kernel/ids.ts';
import type { KeepLimits } from '../kernel/keep.ts';
import type { QueueLengths } from '../observe/store-metrics.ts';
import { readDeliveryQueues, readNotificationQueues } from '../queues/store.ts';
import type { Queryable } from '../store/database.ts';
import { platformStateOperation } from './operation.ts';
import {
  type Bounded,
  bounded,
  COUNT_MAX,
  countWaitingDeliveries,
  listNodeStates,
  type NodeState,
  readDatabaseState,
  readRunningState,
  readStatisticsState,
} from './store.ts';

/** What the operator looks at first: who runs, what waits and since when. Every time in it is the database's. */
export function platformStateRoute(database: Queryable, limits: () => KeepLimits): Route {
  return platformRoute({
    method: 'GET',
    path: '/platform/v1/state',
    summary: 'Read the state of the platform: nodes, queues and the database',
    operation: platformStateOperation,
    bodyUse: 'none',
    handle: async () => ({ status: 200, body: await readState(database, limits()) }),
  });
}

/** One after the other, because a look at the state must not take the connections that the work needs. */
async function readState(store: Queryable, limits: KeepLimits) {
  const askedMs = performance.now();
  const database = await readDatabaseState(store);
  const roundTripMs = Math.round(performance.now() - askedMs);
  const nodes = await listNodeStates(store);
  const notifications = await readNotificationQueues(store, COUNT_MAX + 1, limits);
  const waitingDeliveries = await countWaitingDeliveries(store);
  const deliveries = await readDeliveryQueues(store, COUNT_MAX + 1);
  const { running, leftBehind, oldestId } = await readRunningState(store);
  const statistics = await readStatisticsState(store);
  const nowMs = database.at.getTime();
  return {
    at: database.at.toISOString(),
    nodes: nodes.map(presentNode),
    notifications: {
      waiting: depthOf(notifications, 'notifications_waiting'),
      lag_ms: lagOf(notifications, 'notifications'),
      set_aside: depthOf(notifications, 'notifications_set_aside'),
    },
    deliveries: {
      waiting: waitingDeliveries,
      due: depthOf(deliveries, 'deliveries'),
      lag_ms: lagOf(deliveries, 'deliveries'),
    },
    requests: {
      running,
      oldest_at: oldestId === null ? null : new Date(idTimeMs(oldestId)).toISOString(),
      to_recover: leftBehind,
    },
    statistics: { due: statistics.due, lag_ms: msSince(statistics.oldestAt, nowMs) },
    database: { version: database.version, size_bytes: database.size_bytes, round_trip_ms: roundTripMs },
  };
}

/** The host is kept with what tells two boots of it apart; its name comes first. */
function presentNode({ id, host, started_at, lease_until, alive }: NodeState) {
  return {
    id,
    host: host.split(' ')[0] ?? '',
    started_at: started_at.toISOString(),
    lease_until: lease_until.toISOString(),
    alive,
  };
}

function depthOf(queues: QueueLengths, queue: string): Bounded {
  return bounded(queues.get(queue)?.depth);
}

/** How long what is due has been due; 0 where nothing is. */
function lagOf(queues: QueueLengths, queue: string): number {
  return Math.max(0, Math.round((queues.get(queue)?.oldestSeconds ?? 0) * 1_000));
}

function msSince(oldestAt: Date | null, nowMs: number): number {
  return oldestAt === null ? 0 : Math.max(0, nowMs - oldestAt.getTime());
}
