import type { Logger } from 'pino';
import { StoreUnavailable } from '../kernel/store-unavailable.ts';
import { expireInboundIds } from '../messages/inbound-store.ts';
import { recoverRequests } from '../messages/recover.ts';
import { expireIdempotency } from '../messages/store.ts';
import type { Node } from '../nodes/node.ts';
import type { Database } from '../store/database.ts';
import { makePartitions } from './store.ts';

/** Together with the lease of a node this keeps a crash settled within the promised 30 s. */
const RECOVER_EVERY_MS = 5_000;
const TIDY_EVERY_MS = 3_600_000;

interface Deps {
  database: Database;
  node: Node;
  docsUrl(): string;
  log: Logger;
}

/**
 * What happens by itself, on every node: settling what gone nodes have left, forgetting expired keys, making partitions
 * ahead. The first round is over when this resolves, so that a restart serves only what is settled.
 */
export async function startSweeps({ database, node, docsUrl, log }: Deps): Promise<{ stop(): Promise<void> }> {
  const recover = async () => {
    for (const gone of await node.findGone()) {
      const requests = await recoverRequests(database, gone, docsUrl());
      await node.forget(gone);
      log.info({ node_id: gone, requests }, 'node.recovered');
    }
  };
  const tidy = async () => {
    await makePartitions(database);
    while ((await expireIdempotency(database)) > 0);
    while ((await expireInboundIds(database)) > 0);
  };
  await recover();
  await tidy();
  const loops = [repeat(recover, RECOVER_EVERY_MS, log), repeat(tidy, TIDY_EVERY_MS, log)];
  return {
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}

/** One round after another, never two at once. A store that is away is met again in the next round. */
function repeat(round: () => Promise<void>, everyMs: number, log: Logger): { stop(): Promise<void> } {
  let stopped = false;
  let running = Promise.resolve();
  let timer: NodeJS.Timeout;
  const schedule = () => {
    timer = setTimeout(() => {
      running = runOnce().finally(() => stopped || schedule());
    }, everyMs);
    timer.unref();
  };
  const runOnce = async () => {
    try {
      await round();
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      log.warn({ err: error }, 'sweep.store_unavailable');
    }
  };
  schedule();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
