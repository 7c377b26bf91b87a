import { EXAMPLE } from '../http/examples.ts';
import { namedExamples } from '../http/openapi/operation.ts';
import type { JsonObject, Shared } from '../http/openapi/schemas.ts';
import { ref } from '../http/schema-words.ts';
import { EVENT_TYPES } from './event.ts';
import { EVENT_MEANINGS, eventSchemaName, type PostedType } from './schemas.ts';

/** The headers of Standard Webhooks, which everything that is posted has. */
const HEADERS = [
  {
    name: 'webhook-id',
    required: true,
    description: 'The id of the event, the same on every try: drop it if you have it already.',
    example: EXAMPLE.eventId,
  },
  {
    name: 'webhook-timestamp',
    required: true,
    description: 'When this try was made, in seconds since 1970. Refuse what is far from your own clock.',
    example: '1769860800',
  },
  {
    name: 'webhook-signature',
    required: true,
    description:
      'One or more signatures, separated by spaces: `v1,` and the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` with the secret of the endpoint, in base64.',
    example: 'v1,<SIGNATURE>',
  },
];

const TRACE = {
  name: 'traceparent',
  required: false,
  description: 'The trace of the request that the event follows from, if it had one (W3C).',
  example: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
};

const TAKEN = { description: 'It was taken. The body does not matter.' };
const OF_EVENT = {
  description:
    'Posted to every enabled endpoint that wants this type. Answer 2xx within 15 s. A post that fails is tried again up to nine times, over about three days. No order is promised: use `sequence`.',
  headers: [...HEADERS, TRACE],
  responses: {
    '2XX': TAKEN,
    410: { description: 'The endpoint wants no more events: it is disabled.' },
    default: { description: 'Anything else is a failure, and is tried again. `Retry-After` is honoured.' },
  },
};
const OF_TEST = {
  description:
    'Posted once to the endpoint that is tested, whether it is enabled or not and whatever types it wants. Answer 2xx within 15 s. Who asked for the test gets your answer.',
  headers: HEADERS,
  responses: {
    '2XX': TAKEN,
    default: { description: 'Anything else is a failure. It changes nothing about the endpoint.' },
  },
};

/** Every type of event as a webhook of the API description, and the test event: what is posted to customers' endpoints. */
export function describeWebhooks(shared: Shared): JsonObject {
  const types = [...EVENT_TYPES, 'endpoint.test'] as const;
  return Object.fromEntries(types.map((type) => [type, { post: describeWebhook(type, shared) }]));
}

function describeWebhook(type: PostedType, shared: Shared): JsonObject {
  const name = eventSchemaName(type);
  const schema = ref(name);
  const { description, headers, responses } = type === 'endpoint.test' ? OF_TEST : OF_EVENT;
  return {
    operationId: `on${name}`,
    summary: EVENT_MEANINGS[type],
    description,
    tags: ['Events'],
    security: [],
    parameters: headers.map((header) => ({ ...header, in: 'header', schema: { type: 'string' } })),
    requestBody: {
      description: EVENT_MEANINGS[type],
      required: true,
      content: { 'application/json': { schema, examples: namedExamples(shared.examplesOf(schema)) } },
    },
    responses,
  };
}
