import type { Client } from 'pg';
import { request } from 'undici';
import { type GatewayApi, listOf, memberOf } from '../harness/gateway-api.ts';
import { waitUntil } from '../harness/wait-until.ts';

/** How many of something are missing, and how many were there more than once. */
export interface Count {
  what: string;
  expected: number;
  lost: number;
  doubled: number;
}

interface Parties {
  api: GatewayApi;
  key: string;
  store: Client;
  sandboxUrl: string;
  endpointUrl: string;
}

/** How many statuses the sandbox posts about a message. */
const STATUSES = 3;
/** How many transmits the sandbox remembers. */
const TRANSMITS_MAX = 100_000;

/** Waits until everything that was accepted has been reported, and compares what each party has counted. */
export async function countAll(accepted: ReadonlySet<string>, parties: Parties): Promise<Count[]> {
  const { api, key, endpointUrl } = parties;
  const expected = accepted.size * STATUSES;
  const latest = async () => Number(memberOf(await api.get(key, '/api/v1/events?limit=1'), 'latest_sequence'));
  const delivered = async () => await (await request(`${endpointUrl}/_bench/counts`)).body.json();
  // What does not arrive is counted below, so that the soak says how much it is.
  await waitUntil('every status arrived', async () => (await latest()) >= expected).catch(console.error);
  await waitUntil('every event arrived', async () => {
    return Number(memberOf(await delivered(), 'different')) >= expected;
  }).catch(console.error);
  const counts = await delivered();
  const [taken, different] = ['taken', 'different'].map((name) => Number(memberOf(counts, name)));
  const events = await latest();
  return [
    await countTransmits(accepted, parties),
    await countStatuses(accepted.size * STATUSES, parties),
    // They are numbered without gaps, so what is above the expected number was recorded twice.
    countOf('events', expected, Math.min(events, expected), events),
    countOf('deliveries', expected, different ?? 0, taken ?? 0),
  ];
}

/** If a soak is too long for the sandbox's memory, only the last transmits are counted. */
async function countTransmits(accepted: ReadonlySet<string>, { sandboxUrl }: Parties): Promise<Count> {
  const answer = await (await request(`${sandboxUrl}/_sandbox/messages`)).body.json();
  const ids = listOf(memberOf(answer, 'data')).map((one) => String(memberOf(one, 'biz_opaque_callback_data')));
  return countOf('transmits', Math.min(accepted.size, TRANSMITS_MAX), new Set(ids).size, ids.length);
}

async function countStatuses(expected: number, { store }: Parties): Promise<Count> {
  const { rows } = await store.query<{ all: string; different: string }>(
    `select count(*) as all, count(distinct (message_id, status)) as different from timeline`,
  );
  return countOf('statuses', expected, Number(rows[0]?.different), Number(rows[0]?.all));
}

function countOf(what: string, expected: number, different: number, all: number): Count {
  return { what, expected, lost: Math.max(0, expected - different), doubled: all - different };
}
