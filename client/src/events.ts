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
   * All events from one number on, in their order, without an end: it waits for new ones and goes on after a lost
   * connection or a restart of the gateway where it was, skipping none and repeating none. It throws what waiting
   * cannot mend, such as a key that is not valid any more. With `types` the events are known as those.
   */
  iterate<Type extends EventType = EventType>(iteration?: EventIteration<Type>): AsyncGenerator<EventOf<Type>, void>;
}

export function eventCalls(http: Http): EventCalls {
  const list: EventCalls['list'] = ({ after, types, limit, waitSeconds } = {}, { signal } = {}) =>
    http.call({
      method: 'GET',
      path: '/api/v1/events',
      query: { after, type: types?.join(','), limit, wait: waitSeconds },
      repeatable: 'always',
      signal,
      holdMs: (waitSeconds ?? 0) * 1_000,
    });
  return { list, iterate: (iteration) => iterateEvents(list, iteration) };
}
