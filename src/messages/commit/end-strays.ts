import type { Logger } from 'pino';
import { firstIdOfMs, formatId } from '../../kernel/ids.ts';
import type { Database } from '../../store/database.ts';
import type { Ledger } from './ledger.ts';
import { recoverRequest } from './recover.ts';
import { unlessLocked } from './unless-locked.ts';
import { listBegun, withdrawStray } from './withdraw-store.ts';

/** Sends are rarely under way for so long, so that few have to be told from strays. */
const STRAY_MS = 30_000;
export const STRAYS_EVERY_MS = 15_000;
/** All other strays wait meanwhile. */
const LOCK_WAIT_MS = 100;

interface Deps {
  database: Database;
  ledger: Pick<Ledger, 'standingOf'>;
  nodeId: string;
  docsUrl(): string;
  log: Logger;
}

/**
 * Ends requests of this node that run in the store and nowhere else, because nobody else ever would. Bytes that the network held up
 * begin a request also after it was taken back: it is taken back again. What is over was forgotten by the store, as an asynchronous
 * standby that takes over forgets the last moments: it may have been transmitted, and is settled like what a gone node has left.
 */
export async function endStrays({ database, ledger, nodeId, docsUrl, log }: Deps): Promise<void> {
  for (const request of await listBegun(database, nodeId, firstIdOfMs(Date.now() - STRAY_MS)))
    switch (ledger.standingOf(request.id)) {
      case 'running':
        break;
      case 'taken_back':
        await unlessLocked(database, { requestId: request.id, lockWaitMs: LOCK_WAIT_MS, log }, (tx) =>
          withdrawStray(tx, request),
        );
        break;
      case 'over':
        if (await recoverRequest(database, request, docsUrl(), log))
          log.error({ request_id: formatId('req', request.id) }, 'request.forgotten_by_store');
        break;
    }
}
