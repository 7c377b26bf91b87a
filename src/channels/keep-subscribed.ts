import type { Logger } from 'pino';
import { type SteadyClock, systemClock } from '../kernel/clock.ts';
import { formatId } from '../kernel/ids.ts';
import type { Provider, Sender } from '../provider/port.ts';
import type { ChannelRow } from './store.ts';

/**
 * Less than the hour after which a number's facts are read again, so that a business account with one number is looked at each time. One with
 * many is looked at once by each node.
 */
const EVERY_MS = 55 * 60_000;

/** Looks after the subscription of a live channel's business account, unless that was done lately. */
export type KeepSubscribed = (channel: Pick<ChannelRow, 'id' | 'business_account_id'>, sender: Sender) => Promise<void>;

/**
 * The provider notifies us of a business account only while our app is subscribed to it. Whoever manages the account there can take the app
 * away, and nothing else tells of that while other business accounts have their reports.
 */
export function createKeepSubscribed(
  provider: Pick<Provider, 'keepSubscribed'>,
  log: Logger,
  clock: SteadyClock = systemClock,
): KeepSubscribed {
  /** When each business account was last looked at, the oldest first. */
  const lookedAtMs = new Map<string, number>();
  return async ({ id, business_account_id: businessAccountId }, sender) => {
    const nowMs = clock.steadyMs();
    for (const [looked, atMs] of lookedAtMs) {
      if (nowMs - atMs < EVERY_MS) break;
      lookedAtMs.delete(looked);
    }
    if (lookedAtMs.has(businessAccountId)) return;
    lookedAtMs.set(businessAccountId, nowMs);
    const { kind } = await provider.keepSubscribed(sender, businessAccountId);
    // The token of another number may have the permission.
    if (kind === 'untold') lookedAtMs.delete(businessAccountId);
    const names = { account_id: sender.accountId, channel_id: formatId('chn', id) };
    if (kind === 'resubscribed') log.warn(names, 'channel.resubscribed');
    if (kind === 'lost') log.warn(names, 'channel.subscription_lost');
  };
}
