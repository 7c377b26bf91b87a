/** An account of a run, with one key. */
export interface RunAccount {
  id: string;
  mode: 'test' | 'live';
  key: string;
  /** The phone number id of the account's only channel. */
  phoneNumberId: string;
  /** Where events go. The URL of a live endpoint must be public, so only the test account has one. */
  endpoint: { id: string; secret: string } | undefined;
}

interface Platform {
  url: string;
  key: string;
}

/** Notifications for this phone number id are signed as the provider signs. All others are signed as the sandbox does. */
export const LIVE_NUMBER_ID = '700000000000001';

/** Makes the two accounts of a run: one for the sandbox, with an endpoint, and one whose sends are paced as live ones are. */
export async function makeAccounts(
  platform: Platform,
  endpointUrl: string,
): Promise<Record<'test' | 'live', RunAccount>> {
  const test = await makeAccount(platform, 'test');
  const live = await makeAccount(platform, 'live');
  await call(platform, `/platform/v1/accounts/${live.id}/channels`, {
    phone_number_id: LIVE_NUMBER_ID,
    business_account_id: '700000000000002',
    display_phone_number: '+15559990001',
    access_token: 'token-of-faults',
    default: true,
  });
  const { data }: { data: { phone_number_id: string }[] } = await call(
    platform,
    `/platform/v1/accounts/${test.id}/channels`,
  );
  const endpoint = await call({ ...platform, key: test.key }, '/api/v1/endpoints', { url: endpointUrl });
  return {
    test: { ...test, mode: 'test', phoneNumberId: data[0]?.phone_number_id ?? '', endpoint },
    live: { ...live, mode: 'live', phoneNumberId: LIVE_NUMBER_ID, endpoint: undefined },
  };
}

async function makeAccount(platform: Platform, mode: string): Promise<{ id: string; key: string }> {
  const { id } = await call(platform, '/platform/v1/accounts', { name: `Faults ${mode}` });
  const { key } = await call(platform, `/platform/v1/accounts/${id}/keys`, { name: 'Faults', mode });
  return { id, key };
}

/** Makes a call that must succeed. */
// biome-ignore lint/suspicious/noExplicitAny: the harness reads answers that the tests of the API have proven.
export async function call({ url, key }: Platform, path: string, body?: object): Promise<any> {
  const answer = await fetch(url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${text}`);
  return JSON.parse(text);
}
