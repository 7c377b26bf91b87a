import { appendEvents } from '../events/store.ts';
import type { Database, Transaction } from '../store/database.ts';
import { repeatOnConflict } from '../store/repeat-on-conflict.ts';
import { channelEvent } from './present.ts';
import { suspendChannelRow } from './store.ts';

/** The channel and the sealed access token that the provider refused. */
export interface RefusedAccess {
  accountId: string;
  id: string;
  sealedToken: Buffer;
}

/**
 * Suspends a channel and tells its account, unless its token was changed meanwhile. Whether this call suspended it. A
 * notification whose items are applied one by one may hold the account's event counter and wait for the channel.
 */
export function suspendChannel(database: Database, { accountId, id, sealedToken }: RefusedAccess): Promise<boolean> {
  const suspend = async (tx: Transaction) => {
    const suspended = await suspendChannelRow(tx, accountId, id, sealedToken);
    if (suspended === undefined) return false;
    await appendEvents(tx, [channelEvent(suspended)]);
    return true;
  };
  return repeatOnConflict(() => database.transaction(suspend));
}
