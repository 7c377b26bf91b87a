import type { Operation } from '../http/operation.ts';
import { ref, text } from '../http/schema-words.ts';
import { STREAM, STREAM_EXAMPLE } from './schemas.ts';

const LAST_EVENT_ID = {
  description: 'The last `id` that was seen: the stream goes on after it. It takes precedence over `after`.',
  schema: text('A sequence number; an empty one is ignored.'),
  example: '1042',
};

/** How the API description tells of reading events. */
export const eventOperations = {
  list: {
    id: 'listEvents',
    tag: 'Events',
    description:
      'Reads events after a number, ascending. With `wait`, an empty answer is held back until the first event comes. Numbers have no gaps, so that nothing can go missing unnoticed; with `type`, events of other types are left out.',
    answers: { 200: { description: 'Events in their order.', schema: ref('EventPage') } },
  },
  stream: {
    id: 'streamEvents',
    tag: 'Events',
    description:
      'Server-Sent Events: after `Last-Event-ID`, else after `after`, else from now on. If it begins now, first comes an `id` without an event: the number after which it begins. A comment comes every 15 s. It ends when the key is revoked or the process stops: connect again.',
    requestHeaders: { 'Last-Event-ID': LAST_EVENT_ID },
    answers: {
      200: {
        description: 'The stream.',
        contentType: 'text/event-stream',
        schema: STREAM,
        example: STREAM_EXAMPLE,
      },
    },
  },
} as const satisfies Record<string, Operation>;
