import { type LoneResult, readAlone } from './harness/compare.ts';
import { percentile } from './harness/figures.ts';
import { createGatewayApi, type GatewayApi, listOf, memberOf } from './harness/gateway-api.ts';
import type { Tenant } from './harness/platform.ts';
import { readFeed } from './read-feed.ts';

const READS = 300;
const DAY_MS = 86_400_000;

/** Times the reads of the largest account, one after another. Returns the figures of each round. */
export async function readsOfLargest(
  origin: string,
  tenants: readonly Tenant[],
  rounds: number,
): Promise<LoneResult[]> {
  const api = createGatewayApi(origin);
  const { key, latest, oldest } = await findLargest(api, tenants);
  const eachRound = async (read: () => Promise<number[]>) => {
    const p99: number[] = [];
    for (let round = 0; round < rounds; round++) p99.push(percentile(await read(), 99));
    return p99;
  };
  const rows: LoneResult[] = [];
  for (const { name, max, path } of readsWith(await sampleOf(api, key)))
    rows.push(readAlone(`${name}: ms, p99`, await eachRound(() => timeReads(api, key, path)), { max }));
  const pages = await eachRound(() => readFeed(origin, { key, latest }, oldest));
  rows.push(readAlone(`a page of 100 of ${latest - oldest + 1} events: ms, p99`, pages, { max: 10 }));
  await api.close();
  return rows;
}

/** The reads that are timed, each with its target in milliseconds. `path` gives another one each time. */
function readsWith(samples: Awaited<ReturnType<typeof sampleOf>>) {
  const of = (name: string, max: number, path: () => string) => ({ name, max, path });
  const list = (query: string) => `/api/v1/messages?${query}`;
  const pick = (values: readonly string[]) => values[Math.floor(Math.random() * values.length)] ?? '';
  const since = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();
  return [
    of('the newest 50 messages', 20, () => list('limit=50')),
    of('the messages to a number', 20, () => list(`to=${encodeURIComponent(pick(samples.numbers))}`)),
    of('the messages to a user id that nobody has', 20, () => list('to=GB.0000000000000000001')),
    of('the message of a provider id', 20, () => list(`message_id=${encodeURIComponent(pick(samples.providerIds))}`)),
    of('the messages of a request', 20, () => list(`request_id=${pick(samples.requestIds)}`)),
    of('inbound messages', 20, () => list('direction=inbound')),
    of('messages of a status that none has', 20, () => list('status=unknown')),
    of('a message with its timeline', 20, () => `/api/v1/messages/${pick(samples.ids)}`),
    of('statistics of a day', 100, () => `/api/v1/statistics?since=${since(1)}`),
    of('statistics of eight weeks', 100, () => `/api/v1/statistics?since=${since(56)}`),
  ];
}

interface Largest {
  key: string;
  latest: number;
  oldest: number;
}

async function findLargest(api: GatewayApi, tenants: readonly Tenant[]): Promise<Largest> {
  const logs: Largest[] = [];
  for (const { key } of tenants) {
    const page = await api.get(key, '/api/v1/events?limit=1');
    const [latest, oldest] = [memberOf(page, 'latest_sequence'), memberOf(page, 'oldest_sequence')];
    logs.push({ key, latest: Number(latest), oldest: Number(oldest ?? 1) });
  }
  const [largest] = logs.toSorted((a, b) => b.latest - a.latest);
  if (largest === undefined) throw new RangeError('There is no account');
  return largest;
}

/** Some messages from all over the eight weeks, with what they are looked up by. */
async function sampleOf(api: GatewayApi, key: string) {
  const found: unknown[] = [];
  let cursor = '';
  for (let page = 0; page < 5; page++) {
    const list = await api.get(key, `/api/v1/messages?limit=100&direction=outbound${cursor}`);
    found.push(...listOf(memberOf(list, 'data')));
    cursor = `&cursor=${String(memberOf(list, 'next_cursor'))}`;
    if (memberOf(list, 'next_cursor') === null) break;
  }
  const texts = (name: string) =>
    found.map((message) => memberOf(message, name)).filter((value) => typeof value === 'string');
  return { ids: texts('id'), numbers: texts('to'), providerIds: texts('message_id'), requestIds: texts('request_id') };
}

async function timeReads(api: GatewayApi, key: string, path: () => string): Promise<number[]> {
  const latenciesMs: number[] = [];
  for (let read = 0; read < READS; read++) {
    const startMs = performance.now();
    await api.get(key, path());
    latenciesMs.push(performance.now() - startMs);
  }
  return latenciesMs;
}
