import { Readable } from 'node:stream';
import type { Answer } from '../http/route.ts';
import type { WrittenEvent } from './event-reads.ts';

/** The text of a large event, in memory. The provider posts 4 MiB at once at most, and each character may take two bytes. */
const LARGE_BYTES = 8 << 20;

interface Page {
  events: readonly WrittenEvent[];
  latest: number;
}

/**
 * The body of a page. It has all events that were asked for, because readers take a shorter page for the end of the log, and a
 * hundred events may have 400 MB. So a page with large events is written while they are read, only one of them in memory at a
 * time. If one of them cannot be read any more, the connection breaks, and the reader asks anew. The oldest number is read after
 * the events: an event that expired meanwhile is in the page, or the oldest number tells that it is gone.
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
