import type { Logger } from 'pino';
import { releaseOfNode } from '../endpoints/deliver/gone-store.ts';
import { recoverRequests } from '../messages/commit/recover.ts';
import { listWorkingNodes } from '../messages/commit/recover-store.ts';
import type { Node } from '../nodes/node.ts';
import type { Database } from '../store/database.ts';

interface Deps {
  database: Database;
  node: Node;
  docsUrl(): string;
  log: Logger;
}

/** One round of the recovery: settles what gone nodes have left, and ends their records. */
export async function recover({ database, node, docsUrl, log }: Deps): Promise<void> {
  // Read before the nodes are: whoever begins a request is recorded as a node by then.
  const working = await listWorkingNodes(database);
  for (const gone of await node.findGone(working)) {
    const requests = await recoverRequests(database, gone, docsUrl(), log);
    const deliveries = await releaseOfNode(database, gone);
    await node.forget(gone);
    if (requests + deliveries > 0) log.info({ node_id: gone, requests, deliveries }, 'node.recovered');
  }
}
