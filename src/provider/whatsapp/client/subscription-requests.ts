import type { Sender } from '../../port.ts';
import type { LineRequest } from './line.ts';

/**
 * What is asked about the apps that get the notifications of a business account. Apps of others are listed too; ours is the one that the
 * token belongs to.
 */
export function subscriptionRequests(sender: Sender, businessAccountId: string) {
  const path = `/${encodeURIComponent(businessAccountId)}/subscribed_apps`;
  return {
    list: { sender, method: 'GET', path },
    ownApp: { sender, method: 'GET', path: '/app?fields=id' },
    subscribe: { sender, method: 'POST', path },
  } as const satisfies Record<string, LineRequest>;
}
