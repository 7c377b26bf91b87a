import { request } from 'undici';
import type { Gateway } from './gateway.ts';

/** How many accounts take part in a measurement. Each has a key and a channel. */
export const ACCOUNTS = 16;
/**
 * How many take part where sends are measured. A channel sends at most 1,000 messages a second, and on a quick machine 16 accounts reached
 * that limit. Then the limit was measured instead of the gateway, and every message that waited for its turn cost one more commit.
 */
export const SENDING_ACCOUNTS = 32;

/** An account with a key. */
export interface Tenant {
  accountId: string;
  key: string;
}

export interface LiveTenant extends Tenant {
  phoneNumberId: string;
  businessAccountId: string;
}

/** Makes accounts that can send to the live provider, each with a channel of its own. */
export async function makeLiveAccounts(gateway: Gateway, count: number): Promise<LiveTenant[]> {
  const tenants: LiveTenant[] = [];
  for (let number = 1; number <= count; number++) {
    const account = await create(gateway, '/platform/v1/accounts', { name: `Bench ${number}` });
    const phoneNumberId = String(1_000 + number);
    const businessAccountId = String(2_000 + number);
    await create(gateway, `/platform/v1/accounts/${account.id}/channels`, {
      phone_number_id: phoneNumberId,
      business_account_id: businessAccountId,
      display_phone_number: `+1555900${1_000 + number}`,
      access_token: 'bench-token',
      default: true,
    });
    tenants.push({ ...(await makeKey(gateway, account.id, 'live')), phoneNumberId, businessAccountId });
  }
  return tenants;
}

/** Makes accounts with test keys. Each has a channel from the beginning. */
export async function makeTestAccounts(gateway: Gateway, count: number): Promise<Tenant[]> {
  const tenants: Tenant[] = [];
  for (let number = 1; number <= count; number++) {
    const account = await create(gateway, '/platform/v1/accounts', { name: `Bench ${number}` });
    tenants.push(await makeKey(gateway, account.id, 'test'));
  }
  return tenants;
}

async function makeKey(gateway: Gateway, accountId: unknown, mode: 'live' | 'test'): Promise<Tenant> {
  const { key } = await create(gateway, `/platform/v1/accounts/${accountId}/keys`, { name: 'Bench', mode });
  return { accountId: String(accountId), key: String(key) };
}

async function create({ origin, platformKey }: Gateway, path: string, body: unknown) {
  const answer = await request(origin + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${platformKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const created: unknown = await answer.body.json();
  if (answer.statusCode !== 201) throw new Error(`${path} answered ${answer.statusCode}: ${JSON.stringify(created)}`);
  return { id: Reflect.get(Object(created), 'id'), key: Reflect.get(Object(created), 'key') };
}
