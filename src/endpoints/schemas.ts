import { Type } from 'typebox';
import { EVENT_TYPES } from '../events/event.ts';
import { EXAMPLE } from '../http/examples.ts';
import { answer, count, flag, idOf, orNull, ref, text, time, word } from '../http/schema-words.ts';
import { POST_ERRORS } from './call/post.ts';
import { PROBLEM_CODES } from './check-signature.ts';
import { DISABLED_REASONS } from './store.ts';

const MEMBERS = {
  id: idOf('end', 'The id of the endpoint.'),
  url: text('The address that events are posted to.'),
  types: orNull(
    Type.Array(word('A type of event.', EVENT_TYPES), {
      description: 'The types of events that the endpoint wants; null: all types.',
    }),
  ),
  description: orNull(text('What the endpoint is for, in your words.')),
  enabled: flag('Whether events are delivered to the endpoint.'),
  disabled_reason: orNull(
    word(
      'Why it is not enabled: you turned it off, it answered 410, or it failed for 5 days. null: it is enabled.',
      DISABLED_REASONS,
    ),
  ),
  created_at: time('When it was created.'),
  updated_at: time('When it last changed.'),
};
const ENDPOINT_EXAMPLE = {
  id: EXAMPLE.endpointId,
  url: EXAMPLE.url,
  types: ['message.delivered', 'message.failed'],
  description: 'The shop',
  enabled: true,
  disabled_reason: null,
  created_at: EXAMPLE.at,
  updated_at: EXAMPLE.at,
};
const SECRET = text(
  'The secret that signatures are made with: `whsec_` and 32 bytes in base64. It is shown this once.',
);

/** Shared schemas of customers' endpoints. */
export const endpointSchemas = {
  Endpoint: answer('A URL that wants events.', MEMBERS, ENDPOINT_EXAMPLE),
  EndpointWithSecret: answer(
    'A new endpoint, with its secret.',
    { ...MEMBERS, secret: SECRET },
    { ...ENDPOINT_EXAMPLE, secret: '<ENDPOINT_SECRET>' },
  ),
  RotatedSecret: answer(
    'The new secret of an endpoint.',
    {
      secret: SECRET,
      previous_expires_at: orNull(time('Until when the old secret signs too; null if it no longer signs.')),
    },
    { secret: '<ENDPOINT_SECRET>', previous_expires_at: EXAMPLE.later },
  ),
  Attempt: answer(
    'One HTTP try of one event at one endpoint.',
    {
      id: idOf('att', 'The id of the attempt.'),
      event_id: idOf('evt', 'The id of the event that was posted.'),
      type: text('The type of that event.'),
      number: count('Which attempt at delivering the event to this endpoint it was, counted from 1.'),
      at: time('When the attempt began.'),
      outcome: word('How the attempt ended. Only a 2xx answer in time is a success.', ['succeeded', 'failed']),
      http_status: orNull(Type.Integer({ description: 'The HTTP status of the answer; null if there was none.' })),
      error: orNull(
        word('What went wrong, if it was something else than the status; null if nothing did.', POST_ERRORS),
      ),
      duration_ms: count('How long the attempt took, in milliseconds.'),
      answer: orNull(text('The first 2,048 bytes of the body of the answer; null if there was none.')),
      next_at: orNull(time('When the next attempt is due; null if there will be none.')),
    },
    {
      id: EXAMPLE.attemptId,
      event_id: EXAMPLE.eventId,
      type: 'message.delivered',
      number: 1,
      at: EXAMPLE.at,
      outcome: 'failed',
      http_status: 500,
      error: null,
      duration_ms: 84,
      answer: 'Internal Server Error',
      next_at: EXAMPLE.later,
    },
  ),
  Replay: answer(
    'What a replay has enqueued.',
    { count: count('How many events are delivered once more.') },
    { count: 42 },
  ),
  SignatureCheck: answer(
    'What is wrong with a signature, and never what would be right.',
    {
      valid: flag('Whether the signature is right.'),
      problems: Type.Array(ref('SignatureProblem'), {
        description:
          'Everything that is wrong. If the signature is right, the only thing can be that a secret was sent along with it.',
      }),
    },
    { valid: false, problems: [{ code: 'body_changed', detail: 'This is not the body that was sent under this id.' }] },
  ),
  SignatureProblem: answer(
    'One thing that is wrong.',
    {
      code: word('The word by which a program can decide.', PROBLEM_CODES),
      detail: text('What is wrong in this case, for a person to read.'),
    },
    { code: 'body_changed', detail: 'This is not the body that was sent under this id.' },
  ),
};
