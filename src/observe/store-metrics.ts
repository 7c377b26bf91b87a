import { Gauge, type Registry } from 'prom-client';

export interface StoreMetrics {
  /** Says what to ask at a scrape. Neither may wait for long, and neither may throw. */
  askOf(sources: StoreSources): void;
  /** This process's clock is so far ahead of the database's. */
  clockAhead(aheadMs: number): void;
  /** Asks for the queues: before the metrics are written out, because two of them come of one answer. */
  refresh(): Promise<void>;
}

export interface StoreSources {
  connections(): { total: number; idle: number; waiting: number; max: number };
  /** undefined: the database cannot be asked now. */
  queues(): Promise<QueueLengths | undefined>;
}

/** By queue: how much waits in it, and for how long the oldest is overdue; null: not told of this queue. */
export type QueueLengths = Map<string, { depth: number; oldestSeconds: number | null }>;

/** What only the database knows is the same on every node: take the maximum over the nodes, not the sum. */
export function createStoreMetrics(registry: Registry): StoreMetrics {
  let sources: StoreSources | undefined;
  addConnections(registry, () => sources?.connections());
  const oldest = new Gauge({
    name: 'waypost_queue_oldest_seconds',
    help: 'How long the oldest of a queue is overdue.',
    labelNames: ['queue'],
    registers: [registry],
  });
  const reachable = new Gauge({
    name: 'waypost_store_reachable',
    help: 'Whether the last scrape could ask the database (1), or not in time (0).',
    registers: [registry],
  });
  const depth = new Gauge({
    name: 'waypost_queue_depth',
    help: 'How much waits, counted by the database up to a limit (deliveries: 100 of each endpoint); absent while it cannot be asked.',
    labelNames: ['queue'],
    registers: [registry],
  });
  const clock = new Gauge({
    name: 'waypost_clock_ahead_seconds',
    help: "How far the clock of the node is ahead of the database's, when it last renewed its lease; below 0 it is behind.",
    registers: [registry],
  });
  // Until the first renewal it is not known, and not 0.
  clock.remove();
  return {
    clockAhead: (aheadMs) => clock.set(aheadMs / 1_000),
    askOf(asked) {
      sources = asked;
    },
    async refresh() {
      const queues = await sources?.queues();
      depth.reset();
      oldest.reset();
      reachable.set(queues === undefined ? 0 : 1);
      for (const [queue, length] of queues ?? []) {
        depth.set({ queue }, length.depth);
        // Less than nothing if the clock that made an id runs ahead of the database's.
        if (length.oldestSeconds !== null) oldest.set({ queue }, Math.max(0, length.oldestSeconds));
      }
    },
  };
}

function addConnections(registry: Registry, read: () => ReturnType<StoreSources['connections']> | undefined): void {
  new Gauge({
    name: 'waypost_store_connections',
    help: 'Connections to the database: lent out, idle, and callers that wait for one.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const pool = read();
      if (pool === undefined) return;
      this.set({ state: 'lent' }, pool.total - pool.idle);
      this.set({ state: 'idle' }, pool.idle);
      this.set({ state: 'awaited' }, pool.waiting);
    },
  });
  new Gauge({
    name: 'waypost_store_connections_max',
    help: 'The most connections that this node opens to the database.',
    registers: [registry],
    collect() {
      this.set(read()?.max ?? 0);
    },
  });
}
