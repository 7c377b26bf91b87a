import type { WaypostEvent } from '../api/message.ts';

/** Reads the events after a sequence number, in ascending order. `latest` and `oldest` are those of the whole log. */
export type ReadEvents = (after: number, limit: number) => Promise<EventsRead | undefined>;

interface EventsRead {
  data: WaypostEvent[];
  oldest_sequence: number;
  latest_sequence: number;
}

const PAGE = 100;
/** How many pages are read from the message's beginning on. If its events are further apart, they are not looked for here. */
const PAGES_MAX = 10;

/** `oldestKept`: the first number of the log, if events of the message's time may have been before it, and have expired. */
export interface FoundEvents {
  events: WaypostEvent[];
  complete: boolean;
  oldestKept: number | undefined;
}

/**
 * Finds the events of one message; undefined if the log could not be read. The events are numbered, and their times ascend with the
 * numbers. So the beginning is found by bisection, and from there the log is read up to the message's last change.
 */
export async function findEvents(
  read: ReadEvents,
  { id, fromMs, toMs }: { id: string; fromMs: number; toMs: number },
): Promise<FoundEvents | undefined> {
  const bounds = await read(0, 1);
  if (bounds === undefined) return undefined;
  const oldestKept = mayHaveExpired(bounds, fromMs) ? bounds.oldest_sequence : undefined;
  let after = await sequenceBefore(read, bounds, fromMs);
  const events: WaypostEvent[] = [];
  for (let pages = 0; after !== undefined && pages < PAGES_MAX; pages += 1) {
    const page = await read(after, PAGE);
    if (page === undefined) return undefined;
    events.push(...page.data.filter(({ data }) => tellsOf(data, id)));
    const last = page.data.at(-1);
    if (last === undefined || page.data.length < PAGE || Date.parse(last.timestamp) > toMs)
      return { events, complete: true, oldestKept };
    after = last.sequence;
  }
  return after === undefined ? undefined : { events, complete: false, oldestKept };
}

/** Whether events have expired, and there is none left that was recorded before a moment. */
function mayHaveExpired({ data: [oldest], oldest_sequence: first }: EventsRead, momentMs: number): boolean {
  return first > 1 && (oldest === undefined || Date.parse(oldest.timestamp) >= momentMs);
}

/** The number of the last event before a moment. */
async function sequenceBefore(read: ReadEvents, bounds: EventsRead, momentMs: number): Promise<number | undefined> {
  let low = bounds.oldest_sequence - 1;
  let high = bounds.latest_sequence;
  while (high - low > PAGE) {
    const middle = Math.floor((low + high) / 2);
    const page = await read(middle, 1);
    if (page === undefined) return undefined;
    const [event] = page.data;
    if (event !== undefined && Date.parse(event.timestamp) < momentMs) low = middle;
    else high = middle;
  }
  return low;
}

function tellsOf(data: unknown, id: string): boolean {
  const message: unknown = Reflect.get(Object(data), 'message');
  return Reflect.get(Object(message), 'id') === id;
}
