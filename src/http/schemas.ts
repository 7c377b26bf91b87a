import { Type } from 'typebox';
import { API_ERRORS } from '../kernel/errors.ts';
import { EXAMPLE, EXAMPLE_DOCS_URL } from './examples.ts';
import { NOT_READY_REASONS } from './health.ts';
import { answer, ref, text, word } from './schema-words.ts';

const DETAIL = text('What is wrong with it, for a person to read.');

/** Shared schemas of what the listener itself answers. */
export const httpSchemas = {
  Problem: answer(
    'An error by RFC 9457. `code` is stable and never changes its meaning.',
    {
      type: text("The address of the error's page in the docs.", { format: 'uri' }),
      title: text('What the code means; the same for every occurrence.'),
      status: Type.Integer({ description: 'The HTTP status, once more.' }),
      detail: text('What is wrong this time, for a person to read.'),
      code: word('The word to decide by.', Object.keys(API_ERRORS)),
      request_id: text('The id of this call, as in `x-request-id`: quote it when you ask for help.'),
      errors: Type.Optional(
        Type.Array(ref('Fault'), {
          description: 'Every fault of the request at once, where it has a place.',
        }),
      ),
      reason: Type.Optional(word('Why no work is taken; only `/readyz` tells it.', NOT_READY_REASONS)),
    },
    {
      type: `${EXAMPLE_DOCS_URL}/invalid_request`,
      title: API_ERRORS.invalid_request.title,
      status: 422,
      detail: 'The body is not a valid send.',
      code: 'invalid_request',
      request_id: EXAMPLE.requestId,
      errors: [{ pointer: '#/text/body', detail: 'This member is missing.' }],
    },
  ),
  Fault: Type.Union([ref('BodyFault'), ref('ParameterFault')], {
    description: 'One fault of a request.',
    examples: [{ pointer: '#/to/3/to', detail: 'This must be a string.' }],
  }),
  BodyFault: answer('A fault of the body.', {
    pointer: text('Where it is: a JSON Pointer as a URI fragment.'),
    detail: DETAIL,
  }),
  ParameterFault: answer('A fault of the query or of a header.', {
    parameter: text('The name of the parameter, or of the header.'),
    detail: DETAIL,
  }),
  ApiDescription: Type.Unsafe({
    type: 'object',
    additionalProperties: true,
    description: 'A document of OpenAPI 3.1.',
    examples: [{ openapi: '3.1.0', info: { title: 'Waypost', version: 'v1' }, paths: {} }],
  }),
  Health: answer(
    'Whether the process lives, or takes work.',
    {
      status: word('`alive`: the process answers. `ready`: it also takes calls and can store what they bring.', [
        'alive',
        'ready',
      ]),
    },
    { status: 'alive' },
  ),
};
