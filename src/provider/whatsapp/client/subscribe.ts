import { isRecord } from '../../../kernel/is-record.ts';
import type { Sender } from '../../port.ts';
import { arrayAt, idAt, objectAt, textAt } from '../decode/values.ts';
import { type Asked, ask } from './ask.ts';
import type { Line } from './line.ts';
import { subscriptionRequests } from './subscription-requests.ts';

type Subscribed = { kind: 'subscribed' } | Exclude<Asked, { kind: 'told' }>;

/**
 * Subscribes our app to the notifications of a business account, unless it is subscribed with a callback address for this business
 * account: to subscribe it once more would take that address away without a word, and its notifications would go elsewhere.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/override
 */
export async function subscribe(line: Line, sender: Sender, businessAccountId: string): Promise<Subscribed> {
  const requests = subscriptionRequests(sender, businessAccountId);
  const apps = await ask(line, requests.list);
  if (apps.kind === 'unavailable') return apps;
  const redirected = apps.kind === 'told' ? appsWithAddress(apps.json) : [];
  if (redirected.length > 0) {
    const own = await ask(line, requests.ownApp);
    if (own.kind !== 'told') return own;
    const id = idAt(own.json, 'id');
    if (id === undefined) return { kind: 'unavailable' };
    if (redirected.includes(id)) return { kind: 'subscribed' };
  }
  const done = await ask(line, requests.subscribe);
  if (done.kind !== 'told') return done;
  return { kind: done.json.success === true ? 'subscribed' : 'unavailable' };
}

/** The ids of the apps whose notifications of this business account go to an address of their own. */
function appsWithAddress(list: Record<string, unknown>): string[] {
  const apps = arrayAt(list, 'data').filter(isRecord);
  return apps
    .filter((app) => textAt(app, 'override_callback_uri') !== undefined)
    .flatMap((app) => idAt(objectAt(app, 'whatsapp_business_api_data'), 'id') ?? []);
}
