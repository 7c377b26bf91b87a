import { type GatewayApi, listOf, memberOf } from './harness/gateway-api.ts';

export const PAGE = 100;
const READS = 1_000;

/** Reads pages from anywhere in a log that begins with `oldest`, one after another, and returns how long each took. */
export async function readFeed(
  api: GatewayApi,
  { key, latest }: { key: string; latest: number },
  oldest = 1,
): Promise<number[]> {
  const latenciesMs: number[] = [];
  for (let read = 0; read < READS; read++) {
    const after = oldest - 1 + Math.floor(Math.random() * (latest - oldest + 1 - PAGE));
    const startMs = performance.now();
    const page = await api.get(key, `/api/v1/events?after=${after}&limit=${PAGE}`);
    latenciesMs.push(performance.now() - startMs);
    if (listOf(memberOf(page, 'data')).length !== PAGE) throw new Error('A page of the feed was not full');
  }
  return latenciesMs;
}
