import type { Logger } from 'pino';
import { tidyDeliveries } from '../endpoints/delivery-store.ts';
import { expireInboundIds } from '../messages/inbound-store.ts';
import { recoverRequests } from '../messages/recover.ts';
import { listWorkingNodes } from '../messages/recover-store.ts';
import { expireIdempotency } from '../messages/store.ts';
import type { Node } from '../nodes/node.ts';
import type { Database } from '../store/database.ts';
import { repeat } from './repeat.ts';
import { makePartitions } from './store.ts';

/** Together with the lease of a node this keeps a crash settled within the promised 30 s. */
const RECOVER_EVERY_MS = 5_000;
const TIDY_EVERY_MS = 3_600_000;

interface Deps {
  database: Database;
  node: Node;
  docsUrl(): string;
  log: Logger;
  /** What slices do by themselves, and how often. */
  rounds: readonly { run(): Promise<void>; everyMs: number }[];
}

export interface Sweeps {
  /** Ends after the rounds that are under way. */
  stop(): Promise<void>;
}

/**
 * What happens by itself, on every node: settling what gone nodes have left, forgetting expired keys, making partitions
 * ahead. The first round is over when this resolves, so that a restart serves only what is settled.
 */
export async function startSweeps({ database, node, docsUrl, log, rounds }: Deps): Promise<Sweeps> {
  const recover = async () => {
    // Read before the nodes are: whoever begins a request is recorded as a node by then.
    const working = await listWorkingNodes(database);
    for (const gone of await node.findGone(working)) {
      const requests = await recoverRequests(database, gone, docsUrl());
      await node.forget(gone);
      if (requests > 0) log.info({ node_id: gone, requests }, 'node.recovered');
    }
  };
  const tidy = async () => {
    await makePartitions(database);
    while ((await expireIdempotency(database)) > 0);
    while ((await expireInboundIds(database)) > 0);
    while ((await tidyDeliveries(database)) > 0);
  };
  await recover();
  await tidy();
  const loops = [
    repeat(recover, RECOVER_EVERY_MS, log),
    repeat(tidy, TIDY_EVERY_MS, log),
    ...rounds.map(({ run, everyMs }) => repeat(run, everyMs, log)),
  ];
  return {
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}
