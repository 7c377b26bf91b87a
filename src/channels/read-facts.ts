import type { Logger } from 'pino';
import { appendEvents } from '../events/store.ts';
import type { Sealer } from '../kernel/sealed.ts';
import type { Provider, SenderFacts } from '../provider/port.ts';
import type { Database, Transaction } from '../store/database.ts';
import { repeatOnConflict } from '../store/repeat-on-conflict.ts';
import { type ClaimedChannel, claimForFacts, noteFacts, noteFactsRead } from './facts-store.ts';
import type { KeepSubscribed } from './keep-subscribed.ts';
import { channelEvent } from './present.ts';
import { suspendChannel } from './suspend.ts';

/** Quality and limits move within hours. The provider allows 5,000 such questions an hour for each business account. */
const EVERY_SECONDS = 3_600;
/** So many numbers are asked for at a time, which keeps the provider's own limits and our connections out of sight. */
const AT_A_TIME = 20;

interface Deps {
  database: Database;
  provider: Provider;
  sealer: Sealer;
  log: Logger;
  sandbox: boolean;
  keepSubscribed: KeepSubscribed;
}

/**
 * Reads the facts of some channels again that are due, and tells accounts what has changed. Any number of nodes may do it
 * at once: each channel is asked for by one. Then looks after the subscriptions of their business accounts. Returns how many were due.
 */
export async function readDueFacts(deps: Deps): Promise<number> {
  const due = await claimForFacts(deps.database, EVERY_SECONDS, AT_A_TIME);
  await Promise.all(due.map((channel) => readFacts(deps, channel)));
  return due.length;
}

async function readFacts(deps: Deps, channel: ClaimedChannel): Promise<void> {
  const { database, provider, sealer, log, sandbox, keepSubscribed } = deps;
  const { account_id: accountId, id, mode, phone_number_id: phoneNumberId, access_token_sealed: sealedToken } = channel;
  // Another node may know it as removed by now, and then its token is gone.
  if (channel.status !== 'connected' || (mode === 'test' && !sandbox)) return;
  const accessToken = sealer.open(sealedToken, id);
  const sender = { accountId, mode, phoneNumberId, accessToken };
  const outcome = await provider.readFacts(sender);
  switch (outcome.kind) {
    case 'connected':
      await repeatOnConflict(() => database.transaction((tx) => keepFacts(tx, channel, outcome.facts)));
      break;
    case 'refused':
      await noteFactsRead(database, channel);
      if (outcome.accessRefused) return suspendChannel(database, log, { accountId, id, sealedToken });
      break; // A number may be gone, and the business account with its others is still there.
    case 'unavailable':
      return; // The claim lapses, and a round after that asks again.
  }
  if (mode === 'live') await keepSubscribed(channel, sender);
}

/**
 * Facts that may be older than what a notification or another reading has told meanwhile are not kept: the channel is due again.
 * Repeated after a conflict: a notification whose items are applied one by one may hold the account's event counter and wait for the channel.
 */
async function keepFacts(tx: Transaction, channel: ClaimedChannel, facts: SenderFacts): Promise<void> {
  // This locks the channel as `lockChannels` does, so that what is told of it is so until the commit.
  if (!(await noteFactsRead(tx, channel))) return;
  const changed = await noteFacts(tx, channel, facts);
  if (changed !== undefined) await appendEvents(tx, [channelEvent(changed)]);
}
