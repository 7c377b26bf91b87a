import { type TSchema, Type } from 'typebox';
import { EXAMPLE, EXAMPLE_DOCS_URL, EXAMPLE_MESSAGE } from '../http/examples.ts';
import { accountId, answer, byWord, count, idOf, ref, text, time } from '../http/schema-words.ts';
import { presentMessageError } from '../kernel/message-errors.ts';
import { EVENT_TYPES } from './event.ts';

/** What stands in the data of an event, by the first word of its type: a shared schema's name. */
const SUBJECTS: Record<string, string> = {
  message: 'MessageWithoutContent',
  template: 'Template',
  channel: 'ChannelInEvent',
  account: 'Account',
  endpoint: 'Endpoint',
};

/** What each type of event tells. */
export const EVENT_MEANINGS: Record<string, string> = {
  'message.accepted': "The provider's answer to a send came after ours: it took the message.",
  'message.sent': 'The provider sent the message on.',
  'message.delivered': "The message arrived on the person's device.",
  'message.read': 'The person read the message.',
  'message.failed': 'The message failed after the send was answered.',
  'message.unknown': 'Whether the provider took the message is not known.',
  'message.received': 'A person wrote.',
  'template.updated': 'A template changed, such as its status or its quality.',
  'channel.updated': 'A channel changed, or the provider began or stopped limiting it.',
  'account.updated': 'The account was suspended or resumed.',
  'endpoint.disabled': 'An endpoint was disabled, because it is gone or has failed for too long.',
  'endpoint.test': 'A test that you asked for. It is in no log and has no sequence.',
};

/** The shared schema's name of a type of event, such as `MessageDeliveredEvent`. */
export function eventSchemaName(type: string): string {
  const words = type.split('.').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join('')}Event`;
}

const SEQUENCE = count('Its number: from 1 on for each account and mode, without gaps.', 1042);

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
  EventPage: answer('Events in their order.', {
    data: Type.Array(ref('Event'), { description: 'The events after the number asked for, ascending.' }),
    next_cursor: Type.Null({ description: 'Always null: read on with `after`.' }),
    oldest_sequence: count('The first number that is still kept. Those between `after` and this one have expired.', 1),
    latest_sequence: count('The last number that was given; 0 before the first.', 1042),
  }),
};

function eventOf(type: string, numbered: Record<string, TSchema>): TSchema {
  const [subject = '', step = ''] = type.split('.');
  const schema = type === 'message.received' ? 'Message' : (SUBJECTS[subject] ?? '');
  const example = subject === 'message' ? { message: messageExample(step) } : undefined;
  return answer(`${EVENT_MEANINGS[type]}`, {
    id: idOf('evt', 'Its id, the same on every delivery: drop it if you have it already.', EXAMPLE.eventId),
    type: Type.Literal(type, { description: 'What kind of event it is.' }),
    ...numbered,
    timestamp: time('When it was recorded.', EXAMPLE.later),
    account_id: accountId(),
    data: answer('What it is about, as it was then.', { [subject]: ref(schema) }, example),
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
