import type { Owner } from '../kernel/principal.ts';

/**
 * Every kind of event. The first word of a type names the one member of the event's data. Only a message may tell of a person: an
 * erasure empties nothing else in an event.
 */
export const EVENT_TYPES = [
  'message.accepted',
  'message.sent',
  'message.delivered',
  'message.read',
  'message.failed',
  'message.unknown',
  'message.received',
  'template.updated',
  'channel.updated',
  'account.updated',
  'endpoint.disabled',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** A fact about to be recorded. */
export interface EventDraft extends Owner {
  type: EventType;
  /** One member, named after the type's first word, as it is now. */
  data: Record<string, unknown>;
  /** The `traceparent` of the request that it follows from, if it had one. */
  traceparent: string | null;
}
