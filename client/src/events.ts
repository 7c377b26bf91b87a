import type { Http } from './http.ts';
import { type EventIteration, iterateEvents } from './iterate-events.ts';
import type { CallOptions } from './options.ts';
import type { EventPage } from './types.ts';
import type { EventOf, EventType } from './waypost-event.ts';

export interface EventQuery {
  /** The sequence of the last event that you have; 0, which is before the first, if it is not given. */
  after?: number | undefined;
  types?: readonly EventType[] | undefined;
  /** 1 to 100; 50 if it is not given. */
  limit?: number | undefined;
  /** How long the gateway holds an empty answer back, 0 to 30. */
  waitSeconds?: number | undefined;
}

export interface EventCalls {
  /** One page, oldest first. */
  list(query?: EventQuery, options?: CallOptions): Promise<EventPage>;
  /**
   * All events after a number, in order and without an end. It waits for new events. After a lost connection or a restart of the gateway it
   * goes on where it was, without skipping or repeating an event. It throws errors that waiting cannot mend, such as a key that is no
   * longer valid. With `types` the events have the types of these.
   */
  iterate<Type extends EventType = EventType>(iteration?: EventIteration<Type>): AsyncGenerator<EventOf<Type>, void>;
}

export function eventCalls(http: Http): EventCalls {
  const list: EventCalls['list'] = ({ after, types, limit, waitSeconds } = {}, { signal } = {}) =>
    // Other services call their lists `data` too, and `iterate` would lose its place by a page without the bounds of the log.
    http.read('/api/v1/events', 'latest_sequence', {
      query: { after, type: types?.join(','), limit, wait: waitSeconds },
      signal,
      holdMs: (waitSeconds ?? 0) * 1_000,
    });
  return { list, iterate: (iteration) => iterateEvents(list, iteration) };
}
