import type { Client } from 'pg';
import { type GatewayApi, memberOf } from './harness/gateway-api.ts';
import type { Tenant } from './harness/platform.ts';
import { waitUntil } from './harness/wait-until.ts';

/** How many statuses the sandbox posts about a message. */
const STATUSES = 3;

/** Copies real events, so that the copies have their size and shape. */
const EVENTS_COPY = `
  with source as (select type, data from event where account_id = $1 and mode = 'test' and sequence = $2)
  insert into event (account_id, id, mode, sequence, type, data, at)
  select $1, uuidv7(), 'test', $2 + n, type, data, clock_timestamp() from source, generate_series(1, $3::integer) as n
  order by n`;
const SEQUENCE_RAISE = `update event_sequence set last = last + $2 where account_id = $1 and mode = 'test'`;

/** Adds so many events to an account's log, besides the few that come by themselves. Returns the last number. */
export async function loadEvents(
  store: Client,
  api: GatewayApi,
  { accountId, key }: Tenant,
  count: number,
): Promise<number> {
  const message = { to: '+447700900123', type: 'text', text: { body: 'Your parcel is here.' } };
  await api.post(key, '/api/v1/messages/send', message);
  await waitUntil('the sandbox told all', async () => (await latestOf(api, key)) >= STATUSES);
  const latest = await latestOf(api, key);
  await store.query(EVENTS_COPY, [accountId, latest, count]);
  await store.query(SEQUENCE_RAISE, [accountId, count]);
  return latest + count;
}

async function latestOf(api: GatewayApi, key: string): Promise<number> {
  return Number(memberOf(await api.get(key, '/api/v1/events?limit=1'), 'latest_sequence'));
}
