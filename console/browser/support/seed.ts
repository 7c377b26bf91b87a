import { until } from '../../../test/support/until.ts';
import type { World } from './world.ts';

/** An account with all kinds of messages to look at, and its key. */
export interface Seeded {
  key: string;
  accountId: string;
  readId: string;
  failedId: string;
  requestId: string;
  endpointId: string;
}

const ORDERS = ['Ada', 'Grace', 'Alan', 'Edith', 'Joan', 'Kurt', 'Emmy', 'Max', 'Lise', 'Niels', 'Rosalind', 'Carl'];

/** Fills a new account with the messages of a small bookshop. No number in it belongs to anybody. `more` makes some texts longer. */
export async function seed(world: World, more = ''): Promise<Seeded> {
  const { platform_key: platformKey } = world.gateway.dev;
  const account = await world.call('POST', '/platform/v1/accounts', { name: 'Harbour Books' }, platformKey);
  const accountId = String(account.id);
  const keys = `/platform/v1/accounts/${accountId}/keys`;
  const key = String((await world.call('POST', keys, { name: 'Shop backend', mode: 'test' }, platformKey)).key);
  await world.call('POST', keys, { name: `Reports${more}`, mode: 'test', scopes: ['messages:read'] }, platformKey);
  await world.call('POST', keys, { name: 'Shop backend', mode: 'live' }, platformKey);
  const wish = { url: world.endpointUrl, description: `The shop itself${more}` };
  const endpoint = await world.call('POST', '/api/v1/endpoints', wish, key);
  const first = await sendOrders(world, key);
  const request = await sendMixed(world, key, more);
  await world.sandbox('inbound', { phone_number_id: '900000000000099', from: '+447700900150', text: 'Hello?' });
  const failedId = idOf(request, 1);
  await until(async () => (await world.call('GET', `/api/v1/messages/${first}`, undefined, key)).status === 'read');
  await until(async () =>
    (await world.call('GET', '/api/v1/messages?direction=inbound', undefined, key)).data?.toString(),
  );
  // If a page is opened before that, it has no chart, and asks again only much later.
  await until(async () => totalsOf(await world.call('GET', '/api/v1/statistics', undefined, key)).accepted > 0);
  return {
    key,
    accountId,
    readId: first,
    failedId,
    requestId: String(request.request_id),
    endpointId: String(endpoint.id),
  };
}

async function sendOrders(world: World, key: string): Promise<string> {
  let first = '';
  for (const [place, name] of ORDERS.entries()) {
    const body = { type: 'body', parameters: [{ type: 'text', text: name }] };
    const answer = await world.call(
      'POST',
      '/api/v1/messages/send',
      {
        to: `+4477009001${String(place + 10)}`,
        type: 'template',
        client_reference: `order-${1042 + place}`,
        template: { name: 'order_update', language: 'en_US', components: [body] },
      },
      key,
    );
    first ||= idOf(answer, 0);
  }
  return first;
}

/** Makes one request, whose recipients have different outcomes. */
function sendMixed(world: World, key: string, more: string): Promise<Record<string, unknown>> {
  const to = ['+447700900123', '+15550131026', '+15551131049', '+15552000001', '+15552000007', '+15552000014', '0770'];
  // The longest code: template_parameters_invalid.
  if (more !== '') to.push('+15550132012');
  const text = { body: 'Your book has *arrived*. Come by until Saturday.' };
  return world.call(
    'POST',
    '/api/v1/messages/send',
    { to, type: 'text', client_reference: `pickup-88${more}`, text },
    key,
  );
}

function totalsOf({ totals }: Record<string, unknown>): { accepted: number } {
  return { accepted: Number(Reflect.get(Object(totals), 'accepted')) };
}

function idOf({ results }: Record<string, unknown>, place: number): string {
  const entry: unknown = Array.isArray(results) ? results[place] : undefined;
  return String(Reflect.get(Object(entry), 'id'));
}
