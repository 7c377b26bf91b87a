import { type EventGap, EventsExpiredError, WaypostError } from './errors.ts';
import type { EventCalls, EventQuery } from './events.ts';
import { pause } from './pause.ts';
import { backOffMs, mayRepeat } from './repeat.ts';
import type { EventPage } from './types.ts';
import type { EventOf, EventType, WaypostEvent } from './waypost-event.ts';

export interface EventIteration<Type extends EventType = EventType> {
  /** The sequence of the last event that you have, or `oldest` for all that are kept. Without it, only events from now on. */
  after?: number | 'oldest' | undefined;
  types?: readonly Type[] | undefined;
  /** Called once, with the number after which it begins. Go on from there if it ends before there is an event. */
  onStart?: ((after: number) => void) | undefined;
  /** Ends the iteration, without an error. */
  signal?: AbortSignal | undefined;
  /** Called when events that were asked for have expired; the iteration then goes on after them. Without it, the iteration throws. */
  onGap?: ((gap: EventGap) => void) | undefined;
  /** Called each time the gateway could not be read in several tries. The iteration asks again. */
  onInterruption?: ((error: WaypostError) => void) | undefined;
}

const PAGE = 100;
/** Common proxies close a connection that has been silent for 30 s. */
const WAIT_SECONDS = 20;
/**
 * How much time there is at least between two calls. A key may make 50 in a second by default, and sends need them too. Events that come one
 * by one would take a call each; those of a quarter of a second take one together, which is as soon as gateways tell each other of events.
 */
const GATHER_MS = 250;
/** The same while there are whole pages to read: then half of the calls are left. */
const CATCH_UP_MS = 40;
/** Whatever an answer asks for, a gateway that is back is noticed within a minute. A proxy that is maintained may ask for a day. */
const RETRY_AFTER_MS_MAX = 60_000;

/** Does what `events.iterate` promises, with the feed, which holds an empty answer back until there is an event. */
export function iterateEvents<Type extends EventType = EventType>(
  list: EventCalls['list'],
  iteration: EventIteration<Type> = {},
): AsyncGenerator<EventOf<Type>, void> {
  const ending = new AbortController();
  const end = () => ending.abort();
  const events = endBy(iteration.signal, end, readEvents(list, { ...iteration, signal: ending.signal }));
  const finish = events.return.bind(events);
  // By itself, a generator returns only after what it waits for, and an answer may be held back for long.
  return Object.assign(events, {
    return(value: void | PromiseLike<void>) {
      end();
      return finish(value);
    },
  });
}

/** Passes the caller's signal on while the events are read, and no longer: the signal may outlive many iterations. */
async function* endBy<Item>(signal: AbortSignal | undefined, end: () => void, items: AsyncGenerator<Item, void>) {
  signal?.addEventListener('abort', end);
  if (signal?.aborted) end();
  try {
    yield* items;
  } finally {
    signal?.removeEventListener('abort', end);
  }
}

async function* readEvents<Type extends EventType>(
  list: EventCalls['list'],
  iteration: EventIteration<Type>,
): AsyncGenerator<EventOf<Type>, void> {
  const { types, signal, onGap } = iteration;
  const isAsked = (event: WaypostEvent): event is EventOf<Type> =>
    types === undefined || types.some((type) => type === event.type);
  const read = (query: EventQuery) => readOn(() => list({ ...query, types }, { signal }), iteration);
  let after = await startOf(read, iteration.after);
  /** Where the log ended in the answer before. Everything up to there was already recorded when the next answer was put together. */
  let endBefore: number | undefined;
  while (after !== undefined) {
    // The first call does not wait, so that a wrong number or a gap is reported before there is an event.
    const waitSeconds = endBefore === undefined ? 0 : WAIT_SECONDS;
    const beganMs = performance.now();
    const page = await read({ after, limit: PAGE, waitSeconds });
    if (page === undefined) return;
    const isFull = page.data.length === PAGE;
    const gap = gapOf(page, after);
    if (gap !== undefined && onGap === undefined) throw new EventsExpiredError(gap);
    if (gap !== undefined) onGap?.(gap);
    if (endBefore === undefined) iteration.onStart?.(after);
    for (const event of page.data) {
      if (signal?.aborted) return;
      if (isAsked(event)) yield event;
      after = event.sequence;
    }
    // Events of other types must not count as expired later. So their numbers are stepped over once they were looked at.
    if (!isFull) after = Math.max(after, endBefore ?? 0, page.oldest_sequence - 1);
    endBefore = page.latest_sequence;
    // An answer that was held back has taken that time already, unless something on the way makes the gateway answer at once.
    if (page.data.length > 0 || waitSeconds > 0)
      await rest(beganMs + (isFull ? CATCH_UP_MS : GATHER_MS) - performance.now(), signal);
  }
}

type Read = (query: EventQuery) => Promise<EventPage | undefined>;

async function startOf(read: Read, after: EventIteration['after']): Promise<number | undefined> {
  if (typeof after === 'number') return after;
  // Somebody may have kept the number as a text. To begin now would leave out all events since.
  if (after !== 'oldest' && (after ?? undefined) !== undefined)
    throw new TypeError("after must be a number, the sequence of an event, or 'oldest'.");
  const page = await read({ limit: 1 });
  return page && (after === 'oldest' ? page.oldest_sequence - 1 : page.latest_sequence);
}

/** Reads until there is an answer, however long the gateway is away. undefined once the signal is aborted. */
async function readOn(
  read: () => Promise<EventPage>,
  { signal, onInterruption }: EventIteration,
): Promise<EventPage | undefined> {
  for (let failures = 1; !signal?.aborted; failures += 1) {
    try {
      return await read();
    } catch (error) {
      if (signal?.aborted) return undefined;
      if (!(error instanceof WaypostError && mayRepeat(error, 'always'))) throw error;
      onInterruption?.(error);
      const askedMs = Math.min(RETRY_AFTER_MS_MAX, (error.retryAfterSeconds ?? 0) * 1_000);
      const waitMs = Math.max(backOffMs(failures), askedMs);
      await rest(waitMs, signal);
    }
  }
  return undefined;
}

/** Waits. If the signal is aborted meanwhile, the loop that waits notices it. */
async function rest(timeMs: number, signal: AbortSignal | undefined): Promise<void> {
  if (timeMs > 0) await pause(timeMs, signal).catch(() => undefined);
}

/** The gateway reads the events before the bounds, so the page may still have events that have expired since. */
function gapOf({ data, oldest_sequence: oldest, latest_sequence: latest }: EventPage, after: number) {
  if (latest < after)
    throw new WaypostError(
      'sequence_unknown',
      `The log ends at ${latest}, before ${after}: this number is of another account, mode or gateway.`,
    );
  return after + 1 < oldest && data[0]?.sequence !== after + 1 ? { after, oldest } : undefined;
}
