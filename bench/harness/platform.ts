import { request } from 'undici';
import type { Gateway } from './gateway.ts';

/** Makes accounts that can send to the live provider, each with a channel of its own, and returns their keys. */
export async function makeLiveAccounts(gateway: Gateway, count: number): Promise<string[]> {
  const keys: string[] = [];
  for (let number = 1; number <= count; number++) {
    const account = await create(gateway, '/platform/v1/accounts', { name: `Bench ${number}` });
    await create(gateway, `/platform/v1/accounts/${account.id}/channels`, {
      phone_number_id: String(1_000 + number),
      business_account_id: String(2_000 + number),
      display_phone_number: `+1555900${1_000 + number}`,
      access_token: 'bench-token',
      default: true,
    });
    const { key } = await create(gateway, `/platform/v1/accounts/${account.id}/keys`, { name: 'Bench', mode: 'live' });
    keys.push(String(key));
  }
  return keys;
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
