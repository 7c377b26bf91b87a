import { EXAMPLE } from '../examples.ts';
import type { DescribedHeader } from '../operation.ts';
import { text } from '../schema-words.ts';

/** What every answer to a known key of an account has. */
export const RATE_FIELDS = ['ratelimit-policy', 'ratelimit'] as const;

/** The headers that many answers have, by their names. */
export const SHARED_HEADERS: Record<string, DescribedHeader> = {
  'x-request-id': {
    description: 'The id of this call. Quote it when you ask for help.',
    schema: text('A `req_` id.'),
    example: EXAMPLE.requestId,
  },
  'ratelimit-policy': {
    description: 'How much fits into a second, for each policy (draft-ietf-httpapi-ratelimit-headers).',
    schema: text('A structured field.'),
    example: '"requests";q=50;w=1, "recipients";q=500;w=1',
  },
  ratelimit: {
    description: 'How much is left, for each policy.',
    schema: text('A structured field.'),
    example: '"requests";r=49;t=1, "recipients";r=450;t=1',
  },
  'retry-after': { description: 'When to repeat the call.', schema: text('Seconds.'), example: '1' },
  'www-authenticate': { description: 'What was asked for.', schema: text('A challenge.'), example: 'Bearer' },
};
