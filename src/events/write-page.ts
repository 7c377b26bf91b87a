import { Readable } from 'node:stream';
import type { Answer } from '../http/route.ts';
import type { WrittenEvent } from './event-reads.ts';

/** A large event as a text, which what the provider posts at once bounds to 4 MiB. Each character may take two bytes. */
const LARGE_BYTES = 8 << 20;

interface Page {
  events: readonly WrittenEvent[];
  latest: number;
}

/**
 * The body of a page. It has all events that were asked for, because readers take a shorter page for the end of the log, and a
 * hundred may have 400 MB. So one with large events is written while it is read, and only one of these is in memory at a time.
 * If one of them cannot be read any more, the connection breaks, and the reader asks anew. The oldest number is asked for after
 * the events: what has expired since they were listed is in them, or is told by it.
 */
export async function writePage(
  { events, latest }: Page,
  readOldest: () => Promise<number>,
): Promise<Pick<Answer, 'body' | 'bytesHeld'>> {
  const texts = events.flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
  if (texts.length === events.length) return { body: `${BEGIN}${texts.join(',')}${endOf(await readOldest(), latest)}` };
  const bytesHeld = LARGE_BYTES + texts.reduce((sum, text) => sum + text.length, 0);
  return { body: Readable.from(partsOf({ events, latest }, readOldest)), bytesHeld };
}

const BEGIN = '{"data":[';

async function* partsOf({ events, latest }: Page, readOldest: () => Promise<number>): AsyncGenerator<string> {
  let mark = BEGIN;
  for (const { text } of events) {
    yield mark + (typeof text === 'string' ? text : await text());
    mark = ',';
  }
  yield endOf(await readOldest(), latest);
}

function endOf(oldest: number, latest: number): string {
  return `],${JSON.stringify({ next_cursor: null, oldest_sequence: oldest, latest_sequence: latest }).slice(1)}`;
}
