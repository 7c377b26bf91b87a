import { type TSchema, Type } from 'typebox';
import { EXAMPLE, EXAMPLE_DOCS_URL, EXAMPLE_MESSAGE } from '../http/examples.ts';
import { accountId, answer, byWord, count, idOf, ref, text, time } from '../http/schema-words.ts';
import { presentMessageError } from '../kernel/message-errors.ts';
import { EVENT_TYPES, type EventType } from './event.ts';

/** What stands in the data of an event, by the first word of its type: a shared schema's name. */
const SUBJECTS: Record<string, string> = {
  message: 'MessageWithoutContent',
  template: 'Template',
  channel: 'ChannelInEvent',
  account: 'Account',
  endpoint: 'Endpoint',
};

/** A type of what is posted to endpoints: of an event, or the test event. */
export type PostedType = EventType | 'endpoint.test';

/** What each of them tells. */
export const EVENT_MEANINGS: Record<PostedType, string> = {
  'message.accepted': "The provider's answer to a send came after ours: it took the message.",
  'message.sent': 'The provider sent the message on.',
  'message.delivered': "The message arrived on the person's device.",
  'message.read': 'The person read the message.',
  'message.failed': 'The message failed after the send was answered.',
  'message.unknown': 'Whether the provider took the message is not known.',
  'message.received': 'A person wrote a message.',
  'template.updated': 'A template changed, such as its status or its quality.',
  'channel.updated': 'A channel changed, or the provider began or stopped limiting it.',
  'account.updated': 'The account was suspended or resumed.',
  'endpoint.disabled': 'An endpoint was disabled, because it answered 410 or has failed for too long.',
  'endpoint.test': 'A test event that you asked for. It is not in the log, and has no `sequence`.',
};

/** The shared schema's name of a type of event, such as `MessageDeliveredEvent`. */
export function eventSchemaName(type: PostedType): string {
  const words = type.split('.').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join('')}Event`;
}

const SEQUENCE = count(
  'The number of the event. For each account and mode the numbers begin with 1, and none is left out.',
  1042,
);

const EXAMPLE_INBOUND = {
  direction: 'inbound',
  request_id: null,
  client_reference: null,
  from: EXAMPLE.phone,
  to: EXAMPLE.channelPhone,
  status: 'received',
  pricing: null,
  text: { body: 'Thank you' },
};

/** Shared schemas of events, one for each type, and the two feeds. */
export const eventSchemas: Record<string, TSchema> = {
  Event: byWord(
    'A fact that was recorded for the account. `type` says which one.',
    'type',
    Object.fromEntries(EVENT_TYPES.map((type) => [type, eventSchemaName(type)])),
  ),
  ...Object.fromEntries(EVENT_TYPES.map((type) => [eventSchemaName(type), eventOf(type, { sequence: SEQUENCE })])),
  EndpointTestEvent: eventOf('endpoint.test', {}),
  EventPage: answer('A page of events, in their order.', {
    data: Type.Array(ref('Event'), {
      description: 'The events after the number that was asked for, in ascending order.',
    }),
    next_cursor: Type.Null({
      description: 'Always null. To read on, give the `sequence` of the last event as `after`.',
    }),
    oldest_sequence: count(
      'The number of the oldest event that is still kept. Events between `after` and this one have expired.',
      1,
    ),
    latest_sequence: count('The number of the latest event; 0 if there has been none.', 1042),
  }),
};

function eventOf(type: PostedType, numbered: Record<string, TSchema>): TSchema {
  const [subject = '', step = ''] = type.split('.');
  const schema = type === 'message.received' ? 'Message' : (SUBJECTS[subject] ?? subject);
  const example = subject === 'message' ? { message: messageExample(step) } : undefined;
  return answer(EVENT_MEANINGS[type], {
    id: idOf(
      'evt',
      'The id of the event. It is the same on every delivery: drop the event if you have it already.',
      EXAMPLE.eventId,
    ),
    type: Type.Literal(type, { description: 'What kind of event it is.' }),
    ...numbered,
    timestamp: time('When it was recorded.', EXAMPLE.later),
    account_id: accountId(),
    data: answer('What the event is about, as it was then.', { [subject]: ref(schema) }, example),
  });
}

/** A message as it is when an event tells of that step. */
function messageExample(status: string) {
  if (status === 'received') return { ...EXAMPLE_MESSAGE, ...EXAMPLE_INBOUND };
  const code = status === 'failed' ? 'recipient_unreachable' : 'outcome_unknown';
  const wrong = status === 'failed' || status === 'unknown';
  return { ...EXAMPLE_MESSAGE, status, error: wrong ? presentMessageError({ code }, EXAMPLE_DOCS_URL) : null };
}

/** The lines of a stream, as a text that begins with an event. */
export const STREAM = text('Server-Sent Events: `id` is the sequence, `event` the type, `data` the event as JSON.');
export const STREAM_EXAMPLE = `id: 1042\nevent: message.delivered\ndata: {"id":"${EXAMPLE.eventId}","...":"..."}\n\n`;
