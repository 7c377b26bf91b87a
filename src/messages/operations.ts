import { EXAMPLE } from '../http/examples.ts';
import type { Operation } from '../http/operation.ts';
import { listOf, ref, text } from '../http/schema-words.ts';

const IDEMPOTENCY_KEY = {
  description:
    'Makes the send repeatable: the same key with the same bytes gets the first answer again, for 24 hours, and nothing is sent twice.',
  schema: text('1 to 255 visible ASCII characters, quoted or bare.', { minLength: 1, maxLength: 257 }),
  example: 'order-42-shipped',
};
const TRACEPARENT = {
  description:
    'The trace it belongs to (W3C). It goes on to your endpoints with the events, and never to the provider.',
  schema: text('A W3C trace context.'),
  example: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
};
const REPLAYED = {
  description: 'There if this is the stored answer of the first request with this key.',
  schema: text('Always `true`.', { enum: ['true'] }),
  example: 'true',
};

/** How the API description tells of sending and reading messages. */
export const messageOperations = {
  send: {
    id: 'sendMessages',
    tag: 'Messages',
    description:
      'Sends one message to each recipient and answers with one entry for each, whatever happened to it: only a call that cannot be read as a send, or is not allowed, gets an error. `accepted` means that the provider took the message at that stage; it does not prove delivery, which events report. An `unknown` is never sent again. After a 500 or a lost connection, repeat with the same `Idempotency-Key`.',
    requestHeaders: { 'Idempotency-Key': IDEMPOTENCY_KEY, traceparent: TRACEPARENT },
    body: ref('SendBody'),
    answers: {
      200: {
        description: 'What became of every recipient.',
        schema: ref('SendAnswer'),
        headers: { 'Idempotent-Replayed': REPLAYED },
      },
    },
    errors: [
      'idempotency_key_invalid',
      'idempotency_in_flight',
      'idempotency_mismatch',
      'invalid_request',
      'too_many_recipients',
      'unknown_channel',
      'no_channel',
    ],
  },
  validate: {
    id: 'validateSend',
    tag: 'Messages',
    description:
      'Takes the body of a send and checks it in the same way, without storing or sending anything. A warning never makes a recipient invalid.',
    body: ref('SendBody'),
    answers: {
      200: { description: 'What a send would find out before it transmits.', schema: ref('ValidationAnswer') },
    },
    errors: ['invalid_request', 'too_many_recipients', 'unknown_channel', 'no_channel'],
  },
  list: {
    id: 'listMessages',
    tag: 'Messages',
    description: "Lists messages of the key's mode in both directions. A message must match all filters that you give.",
    answers: { 200: { description: 'A page of messages.', schema: listOf('Message') } },
  },
  read: {
    id: 'readMessage',
    tag: 'Messages',
    description: 'Reads a message as it is now, with the history of everything that was reported about it.',
    params: { id: `The id of the message, such as \`${EXAMPLE.messageId}\`.` },
    answers: { 200: { description: 'The message.', schema: ref('MessageWithTimeline') } },
  },
  readRequest: {
    id: 'readRequest',
    tag: 'Messages',
    description: 'Reads what became of a send, even while it runs, and after its caller hung up.',
    params: { id: `The id of the request, such as \`${EXAMPLE.requestId}\`: the \`request_id\` of the send's answer.` },
    answers: { 200: { description: 'The aggregate answer as it is now.', schema: ref('RequestAnswer') } },
  },
} as const satisfies Record<string, Operation>;
