import { createPageReader } from './harness/page-reader.ts';

export const PAGE = 100;
const READS = 1_000;
/** How each event of a page begins. */
const EVENT = Buffer.from('{"id":"evt_');

/**
 * Reads one page after another, from places all over a log that begins with `oldest`. Returns how long each page took until its last byte.
 * The pages are not parsed.
 */
export async function readFeed(
  origin: string,
  { key, latest }: { key: string; latest: number },
  oldest = 1,
): Promise<number[]> {
  const latenciesMs: number[] = [];
  const reader = createPageReader(origin, key);
  for (let read = 0; read < READS; read++) {
    const after = oldest - 1 + Math.floor(Math.random() * (latest - oldest + 1 - PAGE));
    const startMs = performance.now();
    const page = await reader.read(`/api/v1/events?after=${after}&limit=${PAGE}`);
    latenciesMs.push(performance.now() - startMs);
    if (countEvents(page) !== PAGE) throw new Error('A page of the feed was not full');
  }
  reader.close();
  return latenciesMs;
}

function countEvents(page: Buffer): number {
  let events = 0;
  for (let at = page.indexOf(EVENT); at !== -1; at = page.indexOf(EVENT, at + EVENT.length)) events += 1;
  return events;
}
