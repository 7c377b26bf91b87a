import type { EndpointTestEvent, Event } from './types.ts';

/** A fact about the account. `switch (event.type)` narrows `data`; later gateways may have further types. */
export type WaypostEvent = Event;

export type EventType = WaypostEvent['type'];

/** The events of some types. */
export type EventOf<Type extends EventType> = Extract<WaypostEvent, { type: Type }>;

/** What an endpoint gets: an event, or the one that a test of the endpoint sends. That one is in no log. */
export type WebhookEvent = WaypostEvent | EndpointTestEvent;
