import type { GatewayApi } from './harness/gateway-api.ts';

export const PAGE = 100;
const READS = 1_000;
/** How each event of a page begins. */
const EVENT = Buffer.from('{"id":"evt_');

/**
 * Reads pages from anywhere in a log that begins with `oldest`, one after another, and returns how long each took until its
 * last byte. The pages are not parsed: a reader's own collection of garbage took as long as the slowest pages.
 */
export async function readFeed(
  api: GatewayApi,
  { key, latest }: { key: string; latest: number },
  oldest = 1,
): Promise<number[]> {
  const latenciesMs: number[] = [];
  for (let read = 0; read < READS; read++) {
    const after = oldest - 1 + Math.floor(Math.random() * (latest - oldest + 1 - PAGE));
    const startMs = performance.now();
    const page = await api.getBytes(key, `/api/v1/events?after=${after}&limit=${PAGE}`);
    latenciesMs.push(performance.now() - startMs);
    if (countEvents(page) !== PAGE) throw new Error('A page of the feed was not full');
  }
  return latenciesMs;
}

function countEvents(page: Buffer): number {
  let events = 0;
  for (let at = page.indexOf(EVENT); at !== -1; at = page.indexOf(EVENT, at + EVENT.length)) events += 1;
  return events;
}
