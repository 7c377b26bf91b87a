import type { Logger } from 'pino';
import { appendEvents } from '../events/store.ts';
import { formatId } from '../kernel/ids.ts';
import type { Database, Transaction } from '../store/database.ts';
import { repeatOnConflict } from '../store/repeat-on-conflict.ts';
import { channelEvent } from './present.ts';
import { lockChannels, suspendChannelRow } from './store.ts';

/** A channel, and the sealed access token of it that the provider refused. */
export interface RefusedAccess {
  accountId: string;
  id: string;
  sealedToken: Buffer;
}

/**
 * Suspends a channel, unless its token was changed meanwhile, and tells its account and the log. Several messages may be
 * refused at once: the first of these calls suspends it, and the others do nothing.
 */
export async function suspendChannel(
  database: Database,
  log: Logger,
  { accountId, id, sealedToken }: RefusedAccess,
): Promise<void> {
  const suspend = async (tx: Transaction) => {
    await lockChannels(tx, [{ account_id: accountId, id }]);
    const suspended = await suspendChannelRow(tx, accountId, id, sealedToken);
    if (suspended !== undefined) await appendEvents(tx, [channelEvent(suspended)]);
    return suspended !== undefined;
  };
  // A notification whose items are applied one by one may hold the account's event counter and wait for the channel.
  const isNew = await repeatOnConflict(() => database.transaction(suspend));
  if (isNew) log.warn({ channel_id: formatId('chn', id) }, 'channel.suspended');
}
