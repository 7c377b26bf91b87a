import { isRecord } from '../../../kernel/is-record.ts';
import type { Sender, SubscriptionOutcome } from '../../port.ts';
import { idAt, objectAt, textAt } from '../decode/values.ts';
import { ask } from './ask.ts';
import type { Line } from './line.ts';
import { subscriptionRequests } from './subscription-requests.ts';

/**
 * Looks whether our app is still among those that get the notifications of a business account, and subscribes it again if it certainly is
 * not. It is subscribed without an address of its own: one that it had is gone with the subscription.
 */
export async function keepSubscribed(
  line: Line,
  sender: Sender,
  businessAccountId: string,
): Promise<SubscriptionOutcome> {
  const requests = subscriptionRequests(sender, businessAccountId);
  const [apps, own] = await Promise.all([ask(line, requests.list), ask(line, requests.ownApp)]);
  const subscribed = apps.kind === 'told' ? appsOf(apps.json) : undefined;
  const id = own.kind === 'told' ? idAt(own.json, 'id') : undefined;
  if (subscribed === undefined || id === undefined) return { kind: 'untold' };
  if (subscribed.includes(id)) return { kind: 'subscribed' };
  const done = await ask(line, requests.subscribe);
  return { kind: done.kind === 'told' && done.json.success === true ? 'resubscribed' : 'lost' };
}

/** The ids of all apps in the list; undefined if there may be more than can be read. */
function appsOf(list: Record<string, unknown>): string[] | undefined {
  const { data } = list;
  if (!Array.isArray(data) || textAt(objectAt(list, 'paging'), 'next') !== undefined) return undefined;
  const ids = data.filter(isRecord).flatMap((app) => idAt(objectAt(app, 'whatsapp_business_api_data'), 'id') ?? []);
  return ids.length === data.length ? ids : undefined;
}
