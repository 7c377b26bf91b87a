import { Type } from 'typebox';
import { EVENT_TYPES } from '../events/event.ts';
import { EXAMPLE } from '../http/examples.ts';
import { answer, count, flag, idOf, orNull, ref, text, time, word } from '../http/schema-words.ts';
import { POST_ERRORS } from './call/post.ts';
import { PROBLEM_CODES } from './check-signature.ts';
import { DISABLED_REASONS } from './store.ts';

const MEMBERS = {
  id: idOf('end', 'The id of the endpoint.'),
  url: text('Where events are posted to.'),
  types: orNull(
    Type.Array(word('A type of event.', EVENT_TYPES), { description: 'The types of events it wants; null: all.' }),
  ),
  description: orNull(text('What it is for, in your words.')),
  enabled: flag('Whether events are delivered to it.'),
  disabled_reason: orNull(
    word('Why it is not enabled: you asked for it, it answered 410, or it failed for 5 days.', DISABLED_REASONS),
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
const SECRET = text('What signatures are made with: `whsec_` and 32 bytes in base64. It is shown this once.');

/** Shared schemas of customers' endpoints. */
export const endpointSchemas = {
  Endpoint: answer('A URL that wants events.', MEMBERS, ENDPOINT_EXAMPLE),
  EndpointWithSecret: answer(
    'A new endpoint, with its secret.',
    { ...MEMBERS, secret: SECRET },
    { ...ENDPOINT_EXAMPLE, secret: '<ENDPOINT_SECRET>' },
  ),
  RotatedSecret: answer(
    'A new secret.',
    {
      secret: SECRET,
      previous_expires_at: orNull(time('Until when the old secret signs too; null: it no longer signs.')),
    },
    { secret: '<ENDPOINT_SECRET>', previous_expires_at: EXAMPLE.later },
  ),
  Attempt: answer(
    'One HTTP try of one event at one endpoint.',
    {
      id: idOf('att', 'The id of the attempt.'),
      event_id: idOf('evt', 'The event that was tried.'),
      type: text('The type of the event.'),
      number: count('Which try it was, from 1 on.'),
      at: time('When it began.'),
      outcome: word('Only a 2xx answer in time is a success.', ['succeeded', 'failed']),
      http_status: orNull(Type.Integer({ description: 'The status that was answered; null if none was.' })),
      error: orNull(word('What went wrong beside the status.', POST_ERRORS)),
      duration_ms: count('How long it took, in milliseconds.'),
      answer: orNull(text('The first 2,048 bytes of what was answered.')),
      next_at: orNull(time('When the next try is due; null if there is none.')),
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
  Replay: answer('What was enqueued.', { count: count('How many events are delivered once more.') }, { count: 42 }),
  SignatureCheck: answer(
    'What is wrong with a signature, and never what would be right.',
    {
      valid: flag('Whether it verifies.'),
      problems: Type.Array(ref('SignatureProblem'), {
        description: 'All that is wrong. If it verifies, only that a secret stands beside a right signature.',
      }),
    },
    { valid: false, problems: [{ code: 'body_changed', detail: 'The body is not the one that was sent.' }] },
  ),
  SignatureProblem: answer(
    'One thing that is wrong.',
    {
      code: word('The word to decide by.', PROBLEM_CODES),
      detail: text('What it means this time, for a person to read.'),
    },
    { code: 'body_changed', detail: 'The body is not the one that was sent.' },
  ),
};
