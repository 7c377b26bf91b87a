import { Type } from 'typebox';
import { answer, count, orNull, ref, text, time, word } from '../http/schema-words.ts';
import { STEPS } from './step.ts';

const NUMBERS = {
  accepted: count('How many messages the provider has taken, whatever became of them.'),
  sent: count('How many messages are `sent`, `delivered` or `read`.'),
  delivered: count('How many messages are `delivered` or `read`.'),
  read: count('How many messages are `read`.'),
  failed: count('How many messages are `failed`, at the send or later.'),
  unknown: count('How many messages are `unknown`.'),
  received: count('How many messages came from people.'),
  to_delivery_ms: orNull({
    ...ref('DeliveryTimes'),
    description: 'How long delivery took; null if no message was delivered.',
  }),
};
const EXAMPLE_NUMBERS = {
  accepted: 120,
  sent: 118,
  delivered: 114,
  read: 71,
  failed: 4,
  unknown: 0,
  received: 9,
  to_delivery_ms: { p50: 1310, p95: 4720 },
};

/** Shared schemas of the statistics. */
export const statisticsSchemas = {
  Statistics: answer(
    'What became of the messages that were made in a time, by the status that they have now.',
    {
      since: time('The beginning of the first bucket.'),
      until: time('The end of the last bucket, which may be in the future.'),
      step: word('How long each bucket is. A day begins at midnight UTC.', STEPS),
      computed_at: orNull(time('When the newest of these figures was counted; null if there are no figures.')),
      totals: ref('StatisticsNumbers', 'The counts of the whole range.'),
      buckets: Type.Array(ref('StatisticsBucket'), {
        description: 'The buckets in the order of time, also those without messages.',
      }),
      failures: Type.Array(
        answer('Messages that failed with the same error.', {
          code: text('The code of the error.'),
          count: count('How many messages failed with it.'),
        }),
        { description: 'The failed messages by their code, the most frequent first.' },
      ),
    },
    {
      since: '2026-01-31T12:00:00.000Z',
      until: '2026-01-31T13:00:00.000Z',
      step: 'hour',
      computed_at: '2026-01-31T12:59:58.120Z',
      totals: EXAMPLE_NUMBERS,
      buckets: [{ at: '2026-01-31T12:00:00.000Z', ...EXAMPLE_NUMBERS }],
      failures: [{ code: 'recipient_unreachable', count: 4 }],
    },
  ),
  StatisticsNumbers: answer('Counts of messages.', NUMBERS, EXAMPLE_NUMBERS),
  StatisticsBucket: answer(
    'The messages that were made in one minute, hour or day.',
    { at: time('The beginning of the bucket.'), ...NUMBERS },
    { at: '2026-01-31T12:00:00.000Z', ...EXAMPLE_NUMBERS },
  ),
  DeliveryTimes: answer(
    'The time from the making of a message to the report of its delivery. It is right to within about a tenth.',
    {
      p50: count('Half of the delivered messages took at most this many milliseconds.'),
      p95: count('95 of 100 delivered messages took at most this many milliseconds.'),
    },
    EXAMPLE_NUMBERS.to_delivery_ms,
  ),
};
