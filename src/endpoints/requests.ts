import { type Static, Type } from 'typebox';
import { EVENT_TYPES } from '../events/event.ts';
import { EXAMPLE } from '../http/examples.ts';
import { PAGE_QUERY } from '../http/page.ts';
import { textOfForm } from '../http/text-of-form.ts';
import { wordsOnce } from '../http/words-once.ts';
import { isRecord } from '../kernel/is-record.ts';
import { readEndpointUrl } from './address/url.ts';

const OVERLAP_SECONDS_MAX = 604_800;
/** A header given twice is an array; both are a mistake that the check tells of. */
const HEADER = Type.Union([Type.String(), Type.Array(Type.String())]);
/** By hand: the validator would go on through a megabyte of wrong headers, and repeat a name with each fault. */
const HEADERS = Type.Refine(
  Type.Unsafe<Record<string, Static<typeof HEADER>>>({
    type: 'object',
    describedAs: Type.Record(Type.String(), HEADER, {
      description: 'The headers as they came; only the three of Standard Webhooks are looked at.',
    }),
  }),
  (given) => !isRecord(given) || Object.values(given).every(isHeader),
  () => 'Each header must be a string, or an array of strings.',
);

function isHeader(value: unknown): boolean {
  return typeof value === 'string' || (Array.isArray(value) && value.every((item) => typeof item === 'string'));
}

const TYPES = Type.Union([wordsOnce(EVENT_TYPES), Type.Null()], {
  description: 'The types of events that the endpoint wants. All types if this is null or left out.',
});
const DESCRIPTION = Type.Union([Type.String({ maxLength: 500 }), Type.Null()], {
  description: 'What the endpoint is for, in your words.',
});

/** The body that creates an endpoint. `local`: http and loopback are no faults here, because a test endpoint may use them. */
export function createBody(local: boolean) {
  return Type.Object(
    { url: urlText(local), types: Type.Optional(TYPES), description: Type.Optional(DESCRIPTION) },
    {
      additionalProperties: false,
      examples: [{ url: EXAMPLE.url, types: ['message.delivered', 'message.failed'], description: 'The shop' }],
    },
  );
}

/** The body that changes an endpoint. */
export function patchBody(local: boolean) {
  return Type.Object(
    {
      url: Type.Optional(urlText(local)),
      types: Type.Optional(TYPES),
      description: Type.Optional(DESCRIPTION),
      enabled: Type.Optional(Type.Boolean({ description: 'Whether events are delivered to the endpoint.' })),
    },
    { additionalProperties: false, examples: [{ enabled: true }] },
  );
}

function urlText(local: boolean) {
  const detailOf = (text: string) => {
    const reading = readEndpointUrl(text, local);
    return reading.kind === 'refused' ? reading.detail : undefined;
  };
  return textOfForm(
    { minLength: 1, maxLength: 2_000, description: 'The address to post events to, with `https`.' },
    (text) => detailOf(text) === undefined,
    (text) => detailOf(text) ?? '',
  );
}

/** The other bodies and the queries of the endpoint routes. */
export const ROTATE_BODY = Type.Object(
  {
    overlap_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: OVERLAP_SECONDS_MAX,
        description: 'For how many seconds the old secret signs too; a day if this is left out.',
      }),
    ),
  },
  { additionalProperties: false, examples: [{ overlap_seconds: 3_600 }] },
);
export const REPLAY_BODY = Type.Object(
  {
    after_sequence: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Deliver all events after this number.',
      }),
    ),
    event_id: Type.Optional(Type.String({ description: 'Deliver this one event, named by its id.' })),
  },
  { additionalProperties: false, examples: [{ after_sequence: 1_000 }, { event_id: EXAMPLE.eventId }] },
);
export const CHECK_BODY = Type.Object(
  { headers: HEADERS, body: Type.String({ description: 'The body exactly as it came, as a text.' }) },
  {
    additionalProperties: false,
    examples: [
      {
        headers: {
          'webhook-id': EXAMPLE.eventId,
          'webhook-timestamp': '1769860800',
          'webhook-signature': 'v1,<SIGNATURE>',
        },
        body: '{"id":"...","type":"message.delivered"}',
      },
    ],
  },
);
export const ATTEMPTS_QUERY = Type.Object(
  {
    ...PAGE_QUERY,
    event_id: Type.Optional(Type.String({ minLength: 1, description: 'Only the attempts of this event.' })),
    outcome: Type.Optional(Type.Enum(['succeeded', 'failed'], { description: 'Only attempts with this outcome.' })),
  },
  { additionalProperties: false },
);
