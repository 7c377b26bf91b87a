import type { Logger } from 'pino';
import { firstIdOfMs, formatId } from '../../kernel/ids.ts';
import type { Database } from '../../store/database.ts';
import { isLockTimeout, limitLockWaits } from '../../store/lock-timeout.ts';
import type { Ledger } from './ledger.ts';
import { recoverRequest } from './recover.ts';
import { type BegunRequest, listBegun, withdrawStray } from './withdraw-store.ts';

/** Sends are rarely under way for so long, so that few have to be told from strays. */
const STRAY_MS = 30_000;
export const STRAYS_EVERY_MS = 15_000;

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
        await takeBackAgain(database, request, log);
        break;
      case 'over':
        if (await recoverRequest(database, request, docsUrl(), log))
          log.error({ request_id: formatId('req', request.id) }, 'request.forgotten_by_store');
        break;
    }
}

/** Where somebody keeps a row of it locked, it is left to the next round: the other strays do not wait for that. */
async function takeBackAgain(database: Database, request: BegunRequest, log: Logger): Promise<void> {
  try {
    await database.transaction(async (tx) => {
      await limitLockWaits(tx);
      await withdrawStray(tx, request);
    });
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    log.warn({ err: error, request_id: formatId('req', request.id) }, 'request.recovery_put_off');
  }
}
